import { equal, match } from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

export const faultCases = [
  {
    name: 'a browser that keeps nothing is named, and the page works all the same',
    run: async ({ own, url, takeSaid }) => {
      const browser = await own('refused', { refusesStorage: true })
      try {
        const person = await browser.open()
        await person.open(url)
        await person.reads('.banner', 'This browser refuses to keep data for this page.')
        await person.reads('.storage-text', 'In memory only')
        equal(await person.runs('cd data; head -1 planets.csv'), 'name,moons,radius_km')
        await person.reads('.state-cwd', '/home/user/data')
        takeSaid()
      } finally {
        await browser.close()
      }
    },
  },
  {
    name: 'what fails is said with what to do, and goes when it is dismissed',
    run: async ({ fresh, url }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      await person.menu('/home/user/data', 'New file')
      await person.names('planets.csv')
      const said = await person.reads('.toast-error', 'Could not make planets.csv')
      match(said, /File exists\. Choose another name\./)
      await person.clickNamed('Dismiss')
      await person.sees('no notice', () => document.querySelector('.toast-error') === null)
    },
  },
  {
    name: 'a disk that is full is named, and what was there stays',
    only: 'firefox',
    run: async ({ own, url, downloads }) => {
      const browser = await own('full', { smallDisk: true })
      try {
        const person = await browser.open()
        await person.open(url)
        const file = join(downloads, 'too-large.bin')
        writeFileSync(file, noise(40_000_000))
        await person.menu('/home/user/data', 'Upload files here')
        await (await person.page.$('#file-chooser')).uploadFile(file)
        const said = await person.reads('.toast-error', 'The upload stopped after 0 of 1 files')
        match(said, /No space left on device\. Delete files that are not needed/)
        equal(await person.runs('ls -A data; echo still > here.txt; cat here.txt'), 'planets.csv\nstill')
      } finally {
        await browser.close()
      }
    },
  },
  {
    name: 'nothing can be compiled in the page: its policy forbids it',
    run: async ({ fresh, url, takeSaid }) => {
      const person = await (await fresh()).open()
      await person.open(url)
      // Not at once: what a debugger itself runs may compile.
      const tried = await person.page.evaluate(
        () =>
          new Promise((done) => {
            setTimeout(() => {
              try {
                done(String(new Function('return 1')()))
              } catch (error) {
                done(error.name)
              }
            })
          }),
      )
      equal(tried, 'EvalError')
      equal(await person.runs("echo aXb | sed 's/X/-/'; [[ abc =~ b ]] && echo yes"), 'a-b\nyes')
      takeSaid()
    },
  },
]

/** Bytes that can't be packed, the same each time. */
function noise(size) {
  const bytes = Buffer.alloc(size)
  let state = 1
  for (let at = 0; at < size; at += 1) {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    bytes[at] = state
  }
  return bytes
}
