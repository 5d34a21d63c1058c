"{{ pillar['heat_outputs_path'] }}.url":
  file.managed:
    - contents: http://localhost
