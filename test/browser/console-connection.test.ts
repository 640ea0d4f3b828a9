import { beforeAll, describe, expect, it } from 'vitest'
import { isWithoutBrowser } from '../../scripts/chromium.ts'
import { loaded } from './console-browser.ts'
import { consoleInBrowser } from './console-in-browser.ts'

describe.skipIf(isWithoutBrowser)('the page, its keyboard and its connection', () => {
  const opened = consoleInBrowser(async (world) => {
    await world.longshore('credentials set --skip-check --no-sync', 'app-key\napp-token')
    await world.longshore('sync CL --watch')
    return ''
  })

  it('reports that an unknown entity or page does not exist', async () => {
    const { page } = opened.browser
    await page.goto(`${page.url().replace(/#.*/, '')}#/entities/XX`)
    await page.getByText("The entity 'XX' is not configured. Configured entities: CL, AD.").waitFor()
    await page.goto(`${page.url().replace(/#.*/, '')}#/nothing/here`)
    await page.getByRole('heading', { name: 'This page does not exist.', level: 1 }).waitFor()
    expect(await page.getByRole('link', { name: 'Go to the overview' }).count()).toBe(1)
  })

  it('can be used with the keyboard alone', async () => {
    const { page, open } = opened.browser
    await open('')
    await page.reload()
    await loaded(page)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    await page.keyboard.press('Enter')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN')
    // What needs attention comes first: what the doctor found of the deployment, then that AD has no snapshot.
    const focused = () => page.evaluate('document.activeElement.textContent')
    for (let tabs = 0; tabs < 10 && (await focused()) !== 'AD'; tabs++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'AD', exact: true }).waitFor()
  })

  describe('with a clock of its own', () => {
    const maxIntervalMs = 10_000
    beforeAll(() => opened.browser.page.clock.install())

    it('keeps what it shows while the server cannot be reached, reports it, and continues afterwards', async () => {
      const { page, open } = opened.browser
      await open('')
      await page.evaluate(`location.hash = '#/entities/CL'`)
      await page.locator('table.runs tbody a').first().waitFor()
      await page.context().setOffline(true)
      await page.clock.fastForward(maxIntervalMs)
      // Parts that were still loading show it too.
      const banner = page.getByRole('status').getByText('The console is not responding.')
      await banner.waitFor()
      expect(await page.getByRole('heading', { name: 'CL', exact: true }).count()).toBe(1)
      // A page that was read earlier is shown again, another one with its title.
      const [runPage] = await page
        .locator('table.runs tbody a')
        .evaluateAll((all) => all.map((one) => one.getAttribute('href')))
      await page.evaluate(`location.hash = '#/'`)
      await page.getByRole('heading', { name: 'Longshore', level: 1 }).waitFor()
      await page.evaluate(`location.hash = '${runPage}'`)
      await page.getByRole('heading', { name: 'Run of CL' }).waitFor()
      await page.getByRole('main').getByText('The console is not responding.').waitFor()
      await page.goBack()
      await page.goBack()
      await page.context().setOffline(false)
      await banner.waitFor({ state: 'detached' })
    })

    it('names the time zone of its times, and shows how long ago a run began', async () => {
      const { page, open } = opened.browser
      await open('entities/CL')
      const started = page.locator('table.runs tbody tr').first().locator('th')
      await started.waitFor()
      expect(await started.innerText()).toMatch(/^[A-Z][a-z]{2} \d+, \d\d:\d\d:\d\d\s+\d+ (s|min) ago$/)
      expect(await page.locator('.zone').innerText()).toMatch(/^Times in\s+UTC/)
      await started.getByRole('link').click()
      await page.getByRole('heading', { name: 'Run of CL' }).waitFor()
      const time = page.locator('.facts-grid time').first()
      expect(await time.innerText()).toMatch(/, \d{4}, \d\d:\d\d:\d\d (UTC|GMT\S*)$/)
      expect(await time.getAttribute('title')).toMatch(/Z$/)
    })

    it('sends no requests while its tab is hidden, and sends them at once when it is shown', async () => {
      const { page, open } = opened.browser
      await open('entities/CL')
      // Requests that the page sends when it is opened are not polls.
      await page.waitForLoadState('networkidle')
      const hide = (hidden: boolean) =>
        page.evaluate(`
          Object.defineProperty(document, 'hidden', { configurable: true, get: () => ${hidden} })
          document.dispatchEvent(new Event('visibilitychange'))`)
      await hide(true)
      const asked: string[] = []
      page.on('request', (request) => void asked.push(request.url()))
      await page.clock.fastForward(maxIntervalMs)
      // The request is recorded before its response is sent.
      await page.evaluate('document.hidden')
      expect(asked).toEqual([])
      await Promise.all([page.waitForRequest(/entities\/CL$/), hide(false)])
      page.removeAllListeners('request')
    })

    const expired = {
      message: 'The AWS credentials have expired.',
      fix: 'set AWS_PROFILE, or sign in again (aws sso login)',
    }
    it.each([
      ['', 502, JSON.stringify(expired), /have expired\. To fix this: set AWS_PROFILE.*may be out of date/],
      [
        '',
        500,
        'Internal Server Error',
        /^The console responded with status 500\. This page may be out of date/,
      ],
      ['', 403, '{"message":"AWS denied access."}', /^AWS denied access\. This page may be out of date/],
      ['timeline', 502, JSON.stringify(expired), /have expired/],
      ['entities/CL', 502, JSON.stringify(expired), /have expired/],
      ['entities/CL/snapshots', 502, JSON.stringify(expired), /have expired/],
      ['entities/CL/changes', 502, JSON.stringify(expired), /have expired/],
      ['entities/CL/schema', 502, JSON.stringify(expired), /have expired/],
      ['run', 502, JSON.stringify(expired), /have expired/],
    ])('greys what #/%s shows after a response of %i, says why, and continues', async (...row) => {
      const [view, status, body, text] = row
      const { page, open } = opened.browser
      await open(view === 'run' ? 'entities/CL' : view)
      if (view === 'run') await page.locator('table.runs tbody a').first().click()
      await loaded(page)
      const title = await page.getByRole('heading', { level: 1 }).innerText()
      await page.route('**/console/api/**', (route) => route.fulfill({ status, body }))
      // A run that has ended is read again when its page is opened again.
      if (view === 'run') await page.goBack().then(() => page.goForward())
      await page.clock.fastForward(maxIntervalMs)
      const banner = page.getByRole('status').getByText(text)
      await banner.waitFor()
      expect(await page.locator('main.outdated h1').innerText()).toBe(title)
      await page.unroute('**/console/api/**')
      await page.clock.fastForward(maxIntervalMs)
      await banner.waitFor({ state: 'detached' })
      expect(await page.locator('main.outdated').count()).toBe(0)
    })

    it('reports that the session has ended', async () => {
      const { page, open } = opened.browser
      await open('')
      await page.context().clearCookies()
      await page.clock.fastForward(maxIntervalMs)
      await page.getByText('The session has ended.').waitFor()
      expect(await page.locator('main.outdated').count()).toBe(1)
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Longshore')
    })
  })
})
