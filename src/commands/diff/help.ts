/** What `diff --help` prints. */
export const DIFF_HELP = `Usage: diff [OPTION]... FILES
Compare FILES line by line. FILES are two files, two directories, or a file and a directory; - is standard input.

How changes are shown:
      --normal                  line numbers, and lines with < and > (what is done without options)
  -q, --brief                   only whether files differ
  -s, --report-identical-files  say so when two files are the same
  -c, -C NUM, --context[=NUM]   with NUM (3) lines around, old and new apart
  -u, -U NUM, --unified[=NUM]   with NUM (3) lines around, old and new together
  -e, --ed                      as a script for ed
  -f, --forward-ed              as that, the first change first
  -n, --rcs                     in the form of RCS
  -y, --side-by-side            in two columns
  -W, --width=NUM               columns of that output (130)
      --left-column             common lines only on the left
      --suppress-common-lines   no common lines
  -p, --show-c-function         the C function each change is in
  -F, --show-function-line=RE   the last line before each change that matches RE
  -L, --label=LABEL             LABEL instead of file name and time; a second one for the second file
  -t, --expand-tabs             tabs as spaces
  -T, --initial-tab             a tab before each line, so that its tabs line up
      --tabsize=NUM             tab stops every NUM (8) columns
      --suppress-blank-empty    no space or tab before empty lines
  -l, --paginate                ignored
      --color[=WHEN]            colours: never, always or auto
      --palette=PALETTE         which: rs= hd= ad= de= ln= with numbers, joined by :

Directories:
  -r, --recursive               compare subdirectories too
      --no-dereference          don't follow symbolic links
  -N, --new-file                take files that are missing as empty
  -P, --unidirectional-new-file  take first files that are missing as empty
      --ignore-file-name-case   take names in upper and lower case as the same
      --no-ignore-file-name-case  don't
  -x, --exclude=PAT             leave out files that match PAT
  -X, --exclude-from=FILE       leave out files that match a pattern in FILE
  -S, --starting-file=FILE      start with FILE
      --from-file=FILE1         compare FILE1 with all operands
      --to-file=FILE2           compare all operands with FILE2

What is the same:
  -i, --ignore-case             upper and lower case
  -E, --ignore-tab-expansion    tabs and the spaces they stand for
  -Z, --ignore-trailing-space   white space at the end of a line
  -b, --ignore-space-change     any amount of white space
  -w, --ignore-all-space        with or without white space
  -B, --ignore-blank-lines      pass over changes of blank lines alone
  -I, --ignore-matching-lines=RE  pass over changes whose lines all match RE
  -a, --text                    take all files as text
      --strip-trailing-cr       leave out carriage returns at line ends
      --binary                  ignored

Merged output:
  -D, --ifdef=NAME              both files, with #ifdef NAME
      --GTYPE-group-format=GFMT  how groups are shown: old, new, unchanged or changed ones
      --line-format=LFMT        how lines are shown
      --LTYPE-line-format=LFMT  how old, new or unchanged lines are shown
  GFMT has %< %> %= for lines, %(A=B?T:E), and %d with one of F L N E M (new) or f l n e m (old) for numbers;
  LFMT has %L for a line, %l for one without its newline, %dn for its number; both have %% and %c'C'.

How to compare:
  -d, --minimal                 find the fewest changes
      --horizon-lines=NUM       don't pass over NUM lines of the common start and end
  -H, --speed-large-files       expect many small changes

      --help                    show this help
  -v, --version                 show the version

The status is 0 for the same, 1 for different, 2 for trouble.
`
