/** What `grep --help` prints. */
export const GREP_HELP = `Usage: grep [OPTION]... PATTERNS [FILE]...
Print the lines of each FILE in which one of PATTERNS (one a line) matches.
Without FILE, read standard input, or with -r the working directory.

Patterns:
  -G, --basic-regexp         basic regular expressions (the default)
  -E, --extended-regexp      extended regular expressions
  -F, --fixed-strings        plain strings
  -P, --perl-regexp          Perl regular expressions
  -e, --regexp=PATTERNS      match PATTERNS; may be given several times
  -f, --file=FILE            match the lines of FILE
  -i, --ignore-case          either case matches both
      --no-ignore-case       case matters (the default)
  -w, --word-regexp          match whole words only
  -x, --line-regexp          match whole lines only
  -z, --null-data            lines end with a zero byte

Output:
  -m, --max-count=NUM        stop after NUM selected lines
  -b, --byte-offset          print the offset of each line
  -n, --line-number          print the number of each line
      --line-buffered        write each line at once
  -H, --with-filename        print the name of the file before each line
  -h, --no-filename          don't
      --label=LABEL          the name to print for standard input
  -o, --only-matching        print what matched, each on a line of its own
  -q, --quiet, --silent      print nothing; the status tells
      --binary-files=TYPE    take binary files as 'binary', 'text' or 'without-match'
  -a, --text                 same as --binary-files=text
  -I                         same as --binary-files=without-match
  -d, --directories=ACTION   'read', 'skip' or 'recurse'
  -D, --devices=ACTION       'read' or 'skip'
  -r, --recursive            search the files below directories
  -R, --dereference-recursive  likewise, and follow symbolic links
      --include=GLOB         search only files that match GLOB
      --exclude=GLOB         pass over files that match GLOB
      --exclude-from=FILE    pass over files that match a pattern of FILE
      --exclude-dir=GLOB     pass over directories that match GLOB
  -L, --files-without-match  print only the names of files without a selected line
  -l, --files-with-matches   print only the names of files with one
  -c, --count                print only how many lines were selected
  -T, --initial-tab          make what follows the prefix line up
  -Z, --null                 end file names with a zero byte
  -v, --invert-match         select the lines that don't match
  -s, --no-messages          don't complain about files that can't be read

Context:
  -B, --before-context=NUM   print NUM lines before
  -A, --after-context=NUM    print NUM lines after
  -C, --context=NUM, -NUM    print NUM lines before and after
      --group-separator=SEP  the line between groups, -- if not given
      --no-group-separator   no line between groups
      --color[=WHEN]         mark what matched: 'always', 'never' or 'auto'
  -U, --binary               accepted and ignored
      --help                 show this help
  -V, --version              show the version

The status is 0 if a line was selected, 1 if none was, 2 after an error.
`
