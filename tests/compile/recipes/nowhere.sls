include:
  - base
/etc/motd:
  file.managed:
    - source: salt://motd.conf
"{{ pillar['heat_outputs_path'] }}.path":
  file.managed:
    - contents: /etc/motd
