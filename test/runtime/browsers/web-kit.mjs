import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

/** The environment of a WebKitGTK browser whose home is `profile`: no session bus is looked for, nothing is drawn by a graphics card. */
export function webKitEnvironment(profile, display) {
  mkdirSync(profile, { recursive: true })
  const folders = {
    HOME: profile,
    XDG_CACHE_HOME: join(profile, 'cache'),
    XDG_DATA_HOME: join(profile, 'data'),
    XDG_CONFIG_HOME: join(profile, 'config'),
  }
  const quiet = { NO_AT_BRIDGE: '1', GTK_A11Y: 'none', GIO_USE_VFS: 'local', GSETTINGS_BACKEND: 'memory', LIBGL_ALWAYS_SOFTWARE: '1' }
  return { ...process.env, ...folders, ...quiet, DISPLAY: display, GDK_BACKEND: 'x11' }
}

/** MiniBrowser lies beside WebKitGTK's library. */
export function miniBrowserPath() {
  for (const parent of ['/usr/lib', ...foldersOf('/usr/lib'), '/usr/libexec']) {
    for (const version of ['webkit2gtk-4.1', 'webkit2gtk-4.0', 'webkitgtk-6.0']) {
      const file = join(parent, version, 'MiniBrowser')
      if (existsSync(file)) return file
    }
  }
  throw new Error('WebKitGTK and its MiniBrowser are not installed; npm test installs them')
}

function foldersOf(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => (entry.isDirectory() ? [join(folder, entry.name)] : []))
}
