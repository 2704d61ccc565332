"""Drives a program in a terminal of its own.

usage: pty-drive.py COLUMNS ROWS PROGRAM [ARG...]   with a JSON list of steps on standard input:
  {"send": "text"}      types it
  {"expect": "text"}    waits until it appears in what came since the last step that found something
  {"resize": [c, r]}    gives the terminal another size
  {"signal": N}         sends the program a signal
Prints a JSON object {"output": all that came, "status": exit status, "failed": the step that waited in vain, or null}.
"""
import fcntl, json, os, pty, select, signal, struct, sys, termios, time

LIMIT = 20.0


def resize(descriptor, columns, rows):
    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack('HHHH', rows, columns, 0, 0))


def main():
    columns, rows = int(sys.argv[1]), int(sys.argv[2])
    steps = json.load(sys.stdin)
    pid, terminal = pty.fork()
    if pid == 0:
        os.execvp(sys.argv[3], sys.argv[3:])
    resize(terminal, columns, rows)
    output, seen, failed, ended = b'', 0, None, False

    def more(wait):
        nonlocal output, ended
        ready, _, _ = select.select([terminal], [], [], wait)
        if not ready:
            return
        try:
            chunk = os.read(terminal, 65536)
        except OSError:
            chunk = b''
        if chunk == b'':
            ended = True
        output += chunk

    for step in steps:
        if 'send' in step:
            os.write(terminal, step['send'].encode())
        elif 'resize' in step:
            resize(terminal, *step['resize'])
            os.kill(pid, signal.SIGWINCH)
        elif 'signal' in step:
            os.kill(pid, step['signal'])
        elif 'expect' in step:
            wanted, until = step['expect'].encode(), time.monotonic() + LIMIT
            while output.find(wanted, seen) == -1 and not ended and time.monotonic() < until:
                more(0.2)
            found = output.find(wanted, seen)
            if found == -1:
                failed = step
                break
            seen = found + len(wanted)
    until = time.monotonic() + (0 if failed else LIMIT)
    while not ended and time.monotonic() < until:
        more(0.2)
    if not ended:
        os.kill(pid, signal.SIGKILL)
        failed = failed or {'expect': 'the end of the program'}
    _, status = os.waitpid(pid, 0)
    print(json.dumps({'output': output.decode('utf-8', 'replace'), 'status': os.waitstatus_to_exitcode(status), 'failed': failed}))


main()
