import type { CommandSource, CommandTable } from './registry.ts'

/** The utilities that deal with files, names, time and the session's surroundings; each is loaded when it is first run. */
export const fileCommands: CommandTable = new Map<string, CommandSource>([
  ['basename', () => import('./basename.ts').then((module) => module.basename)],
  ['chgrp', () => import('./chown.ts').then((module) => module.chgrp)],
  ['chmod', () => import('./chmod.ts').then((module) => module.chmod)],
  ['chown', () => import('./chown.ts').then((module) => module.chown)],
  ['cp', () => import('./cp.ts').then((module) => module.cp)],
  ['dir', () => import('./ls.ts').then((module) => module.dir)],
  ['dirname', () => import('./dirname.ts').then((module) => module.dirname)],
  ['install', () => import('./install.ts').then((module) => module.install)],
  ['link', () => import('./link.ts').then((module) => module.link)],
  ['ln', () => import('./ln.ts').then((module) => module.ln)],
  ['ls', () => import('./ls.ts').then((module) => module.ls)],
  ['mkdir', () => import('./mkdir.ts').then((module) => module.mkdir)],
  ['mktemp', () => import('./mktemp.ts').then((module) => module.mktemp)],
  ['mv', () => import('./mv.ts').then((module) => module.mv)],
  ['pathchk', () => import('./pathchk.ts').then((module) => module.pathchk)],
  ['readlink', () => import('./readlink.ts').then((module) => module.readlink)],
  ['realpath', () => import('./realpath.ts').then((module) => module.realpath)],
  ['rm', () => import('./rm.ts').then((module) => module.rm)],
  ['rmdir', () => import('./rmdir.ts').then((module) => module.rmdir)],
  ['stat', () => import('./stat.ts').then((module) => module.stat)],
  ['touch', () => import('./touch.ts').then((module) => module.touch)],
  ['truncate', () => import('./truncate.ts').then((module) => module.truncate)],
  ['unlink', () => import('./link.ts').then((module) => module.unlink)],
  ['vdir', () => import('./ls.ts').then((module) => module.vdir)],
])
