"{{ pillar['heat_outputs_path'] }}.line":
  file.managed:
    - contents: {{ (pillar['before'] ~ ' by salt: ' ~ pillar['ports'] | length) | json }}
