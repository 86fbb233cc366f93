#!/bin/bash
# Checks that the server in this container is ready; needs only bash.
set -e
exec 3<>"/dev/tcp/127.0.0.1/${1:-7878}"
printf 'GET /ready HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&3
read -r -t 4 _ status _ <&3
[[ $status == 200 ]]
