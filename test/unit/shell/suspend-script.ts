/** What the tests of saving and restoring run: loops, functions, subshells, here-documents, traps, background jobs and pending sleeps. */
export const SUSPENDED_SCRIPT = `
declare -A ages=([ann]=31 [bob]=42)
list=(one "two three" four)
greet() { local name=$1 n=\${2:-1}; while (( n > 0 )); do echo "hello $name $n"; (( n-- )); done; return 3; }
for item in "\${list[@]}"; do greet "$item" 2; done
echo "status $? ages \${ages[ann]} \${ages[bob]}"
( x=inner; cd /tmp; echo "in subshell: $x $PWD"; exit 4 )
echo "subshell gave $? and x is \${x-unset}"
cat_it() { local line; while read -r line; do echo "> $line"; done; }
cat_it <<EOF
first $((6 * 7))
second \${list[1]}
EOF
sum=0
for ((i = 0; i < 5; i++)); do sum=$((sum + i)); done
echo "sum $sum $(echo "nested $(echo deep)")"
echo piped | { read -r word; echo "got $word"; }
case $sum in 1?) echo ten-something;; *) echo other;; esac
printf '%s\\n' a b > /tmp/file
while read -r l; do echo "file: $l"; done < /tmp/file
trap 'echo "bye $sum"' EXIT
x=1 eval 'echo "temp $x"'
sleep 0.002
{ sleep 0.002; echo background; } &
wait $!
echo "waited $?"
`
