#!/bin/sh
# Answers for a batch of orders/1 to orders/5, but leaves the last one out.
read -r line
case $line in '{"queue":"orders","job":"","items":[{"id":"orders/1","payload":{"n":0},"reference":"",'*'{"id":"orders/5"'*) ;; *) exit 2 ;; esac
cat <<END
[{"id":"orders/1","status":"success","output":{"n":1}},
 {"id":"orders/2","status":"business","error":"no such customer"},
 {"id":"orders/3","status":"system","error":{"reason":"busy","details":"retry after 5"}},
 {"id":"orders/4","status":"great"}]
END
