import { equal, match } from 'node:assert/strict'

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
