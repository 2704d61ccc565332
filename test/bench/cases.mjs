// What is measured: each case is a script that every shell runs over the same data at $D.
// `want` is its whole output (without blanks at the ends); `data` names what of data.mjs it reads.

/** Cases by group. A case that streams without end is a test by itself: it must come to an end. */
export const groups = {
  'loops and arithmetic': {
    'for 100k': { script: 'for i in $(seq 1 100000); do x=$((x+i)); done; echo $x', want: '5000050000' },
    'while 100k': { script: 'i=0; while (( i < 100000 )); do (( i++ )); done; echo $i', want: '100000' },
    'c-for 100k': { script: 'for ((i=0; i<100000; i++)); do :; done; echo $i', want: '100000' },
    'test 20k': { script: 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; echo $i', want: '20000' },
    'case 20k': { script: 'n=0; for ((i=0; i<20000; i++)); do case $i in *7) ((n++));; *) :;; esac; done; echo $n', want: '2000' },
    'fib 18': {
      script:
        'fib() { local n=$1; if (( n < 2 )); then r=$n; else local a; fib $((n-1)); a=$r; fib $((n-2)); r=$((a+r)); fi; }; fib 18; echo $r',
      want: '2584',
    },
    'fib 15 by $()': {
      script: 'fib() { if (( $1 < 2 )); then echo $1; else echo $(( $(fib $(($1-1))) + $(fib $(($1-2))) )); fi; }; fib 15',
      want: '610',
    },
  },
  'strings and arrays': {
    's+= 50k': { script: 's=; for ((i=0; i<50000; i++)); do s+=x; done; echo ${#s}', want: '50000' },
    'replace in 24 kB': { script: 's=$(seq -s, 1 5000); for ((i=0; i<200; i++)); do t=${s//1/one}; done; echo ${#t}' },
    'a+= 50k': {
      script: 'a=(); for ((i=0; i<50000; i++)); do a+=($i); done; t=0; for v in "${a[@]}"; do ((t+=v)); done; echo $t',
      want: '1249975000',
    },
    'assoc 20k': { script: 'declare -A m; for ((i=0; i<20000; i++)); do m[k$((i%1000))]=$i; done; echo ${#m[@]}', want: '1000' },
    'read 20k lines': { script: 'n=0; while IFS= read -r l; do ((n++)); done < $D/lines.txt; echo $n', want: '20000', data: ['lines'] },
  },
  'processes and pipes': {
    '$(echo) 1k': { script: 'for ((i=0; i<1000; i++)); do x=$(echo $i); done; echo $x', want: '999' },
    'echo | cat 1k': { script: 'for ((i=0; i<1000; i++)); do echo $i | cat >/dev/null; done; echo ok', want: 'ok' },
    '50 cats': { script: `seq 1 100000 ${'| cat '.repeat(50)}| tail -1`, want: '100000' },
    'sort 1M': { script: 'seq 1 1000000 | sort -n | tail -1', want: '1000000', memory: true },
    'wc 1M': { script: 'seq 1 1000000 | wc -l', want: '1000000', memory: true },
    'xargs 5k': { script: 'seq 1 5000 | xargs -n1 echo | tail -1', want: '5000' },
  },
  'streams without end': {
    'yes | head': { script: 'yes | head -1', want: 'y', memory: true },
    'seq 100M | head': { script: 'seq 1 100000000 | head -1', want: '1', memory: true },
    'while : | head': { script: 'while :; do echo; done | head -3 | wc -l', want: '3', memory: true },
  },
  'text, 100 MB': {
    'grep -c': { script: 'grep -c fox7 $D/t100.txt', data: ['t100'] },
    'grep -cF': { script: 'grep -cF fox7 $D/t100.txt', data: ['t100'] },
    'grep -cE': { script: "grep -cE 'key[0-9]+1 .*fox(1|2)' $D/t100.txt", data: ['t100'] },
    'wc -l': { script: 'wc -l < $D/t100.txt', data: ['t100'] },
    'cat | wc -c': { script: 'cat $D/t100.txt | wc -c', data: ['t100'] },
    'head -1': { script: 'head -1 $D/t100.txt', data: ['t100'] },
    'tail -1': { script: 'tail -1 $D/t100.txt', data: ['t100'] },
  },
  'text, 20 MB': {
    wc: { script: "wc < $D/t20.txt | tr -s ' '", data: ['t20'] },
    sed: { script: "sed 's/fox/cat/g' $D/t20.txt | tail -1", data: ['t20'] },
    awk: { script: "awk '{s+=$2} END{print s}' $D/t20.txt", data: ['t20'] },
    'awk groups': { script: "awk '{c[$3]++} END{for(k in c) n++; print n}' $D/t20.txt", data: ['t20'] },
    cut: { script: "cut -d' ' -f3 $D/t20.txt | tail -1", data: ['t20'] },
    'cut sort uniq': { script: "cut -d' ' -f3 $D/t20.txt | sort | uniq -c | sort -rn | head -1", data: ['t20'] },
    tr: { script: 'tr a-z A-Z < $D/t20.txt | tail -1', data: ['t20'] },
    sort: { script: 'sort $D/t20.txt | tail -1', data: ['t20'] },
    sha256sum: { script: 'sha256sum < $D/t20.txt', data: ['t20'] },
    gzip: { script: 'gzip -c $D/t20.txt | gunzip -c | wc -c', data: ['t20'] },
  },
  files: {
    'find 50k': { script: 'find $D/tree -type f | wc -l', want: '50000', data: ['tree'] },
    'find -name': { script: "find $D/tree -name '*7.txt' | wc -l", data: ['tree'] },
    'grep -rl 50k': { script: 'grep -rl needle $D/tree | wc -l', want: '5000', data: ['tree'] },
    'glob 50k': { script: 'cd $D/tree; set -- */*/*.txt; echo $#', want: '50000', data: ['tree'] },
    'ls -R 50k': { script: 'ls -R $D/tree | wc -l', data: ['tree'] },
    'write 10k': {
      script: 'mkdir -p $D/w; for ((i=0; i<10000; i++)); do echo "content $i" > $D/w/f$i.txt; done; ls $D/w | wc -l; rm -rf $D/w',
      want: '10000',
    },
    'append 10k': {
      script: 'rm -f $D/a.log; for ((i=0; i<10000; i++)); do echo "line $i" >> $D/a.log; done; wc -l < $D/a.log; rm $D/a.log',
      want: '10000',
    },
    'cp -r, rm -r 50k': { script: 'cp -r $D/tree $D/tree2; rm -rf $D/tree2; echo ok', want: 'ok', data: ['tree'] },
  },
  json: { jq: { script: "jq -c '[.[]|select(.v>500)]|length' $D/j5.json", data: ['json'] } },
}

/** All cases in order, each with its group and name. */
export const cases = Object.entries(groups).flatMap(([group, named]) =>
  Object.entries(named).map(([name, found]) => ({ group, name, ...found })),
)
