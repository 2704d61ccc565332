/** What `find --help` prints. */
export const FIND_HELP = `Usage: find [-H] [-L] [-P] [-OLEVEL] [-D OPTIONS] [PATH...] [EXPRESSION]
Walks the directories PATH (. when left out) and evaluates EXPRESSION (-print when left out) for each file.

  -P  follow no symbolic link    -H  follow those among the PATHs    -L  follow all
  -OLEVEL, -D OPTIONS  taken and ignored

Operators, the one that binds most first:
  ( EXPR )   ! EXPR   -not EXPR   EXPR EXPR   EXPR -a EXPR   EXPR -and EXPR
  EXPR -o EXPR   EXPR -or EXPR   EXPR , EXPR

Options for all of the run:
  -d -depth                 a directory after what it holds
  -maxdepth N -mindepth N   levels below the PATHs
  -mount -xdev              stay within each PATH's file system
  -files0-from FILE         PATHs, each ended by a zero byte, from FILE
  -ignore_readdir_race -noignore_readdir_race -noleaf

Options for what follows:
  -daystart                 ages count from midnight
  -follow                   as -L
  -regextype TYPE           how -regex is read
  -warn -nowarn

Tests (N alone, +N for more, -N for less):
  -name -iname -path -ipath -wholename -iwholename -lname -ilname PATTERN
  -regex -iregex PATTERN    the whole path
  -type -xtype [bcdpflsD]   one or a list f,d
  -size N[bcwkMG]   -empty   -links N   -inum N   -samefile FILE
  -amin -cmin -mmin N (minutes)   -atime -ctime -mtime N (days)   -used N (days)
  -newer -anewer -cnewer FILE   -newerXY FILE or time, X of a B c m, Y of a B c m t
  -perm MODE, -MODE (all bits), /MODE (any bit)
  -user NAME -group NAME -uid N -gid N -nouser -nogroup
  -readable -writable -executable   -fstype TYPE   -context CONTEXT   -true -false

Actions:
  -print -print0 -printf FORMAT -ls
  -fprint FILE -fprint0 FILE -fprintf FILE FORMAT -fls FILE
  -exec COMMAND ;   -exec COMMAND {} +   -ok COMMAND ;
  -execdir COMMAND ;   -execdir COMMAND {} +   -okdir COMMAND ;
  -delete -prune -quit

      --help     show this text
      --version  show the version
`
