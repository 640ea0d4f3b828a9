import { beforeAll, describe, expect, it } from 'vitest'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { isWithoutBrowser } from '../../scripts/chromium.ts'
import { expectAccessible, expectReadable, layoutShift } from './console-browser.ts'
import { consoleInBrowser } from './console-in-browser.ts'

describe.skipIf(isWithoutBrowser)('the console in a browser', () => {
  const opened = consoleInBrowser(async (world) => {
    await world.longshore('credentials set --skip-check --no-sync', 'app-key\napp-token')
    return ''
  })

  it('shows every entity, and explains what to do where there is no snapshot', async () => {
    const { page, complaints } = opened.browser
    await page.getByText('Checked at').waitFor()
    expect(await layoutShift(page)).toBeLessThan(0.01)
    expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Longshore')
    expect(await page.locator('table.entities tbody tr').count()).toBe(2)
    expect(await page.locator('table.entities').getByText('no snapshot').count()).toBe(2)
    await page.getByText('Checked at').waitFor()
    const findings = await page.locator('[aria-labelledby=health] .findings').innerText()
    expect(findings).toMatch(/^alarm\s+Longshore-Stale, since/)
    expect(findings).toContain('Fix: npx --no-install longshore doctor')
    await page.getByRole('heading', { name: 'Needs attention: 2 problems' }).waitFor()
    await page.getByRole('button', { name: /^Copy: .* longshore sync CL --watch/ }).waitFor()
    await expectReadable(page)
    expect(complaints).toEqual([])
  })

  it('starts a sync after a confirmation, and shows it to its end without a reload', async () => {
    const { page, complaints, open } = opened.browser
    opened.slowly(250)
    await open('entities/CL')
    const explanation = await opened.act('Start sync', 'Start sync')
    expect(explanation).toContain('publishes a new snapshot if it is proven complete')
    expect(explanation).toContain('npx --no-install longshore sync CL --watch')
    const bar = page.getByRole('progressbar', { name: 'Progress of CL' })
    await bar.waitFor()
    await page.getByText(/of 95 documents · [\d.]+ pages\/s · \d+ s left/).waitFor()
    await expectAccessible(page)
    await bar.waitFor({ state: 'detached' })
    expect(await page.locator('.facts-grid').innerText()).toContain('95')
    await page.locator('table.runs tbody tr').filter({ hasText: 'published' }).waitFor()
    expect(await page.getByRole('status').last().innerText()).toContain('CL')
    // A single point is shown within its hour, and the axis of documents has whole numbers.
    const [documents] = await page.locator('.plot .axes').all()
    const labels = (await documents?.locator('text').allTextContents()) ?? []
    expect(labels).toEqual(expect.arrayContaining(['94', '95', '96']))
    expect(labels.filter((label) => /^\d\d:\d\d$/.test(label)).length).toBeGreaterThan(1)
    await page.getByRole('img', { name: 'Documents. Documents: 95 to 95' }).press('End')
    await page.getByText(/Documents: 95$/).waitFor()
    expect(await layoutShift(page)).toBeLessThan(0.01)
    await expectReadable(page)
    expect(complaints).toEqual([])
  })

  it('verifies the published snapshot, and shows what it found and the command', async () => {
    const { page, complaints, open } = opened.browser
    await open('entities/CL/snapshots')
    await page.getByRole('button', { name: 'Verify', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('npx --no-install longshore verify CL').waitFor()
    await dialog.getByRole('button', { name: 'Verify', exact: true }).click()
    await dialog.getByText(/^Run \S+ of CL matches its manifest: /).waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Repair', exact: true }).click()
    await dialog.getByText('npx --no-install longshore verify CL --repair').waitFor()
    await dialog.getByRole('button', { name: 'Back' }).click()
    expect(complaints).toEqual([])
  })

  it('explains a word of its own on focus', async () => {
    const { page, complaints, open } = opened.browser
    await open('entities/CL/snapshots')
    const word = page.locator('.term').getByText('exact', { exact: true })
    const meaning = page.getByRole('tooltip').getByText(/^The snapshot has as many documents/)
    expect(await meaning.isVisible()).toBe(false)
    await word.focus()
    await meaning.waitFor()
    await expectAccessible(page)
    expect(complaints).toEqual([])
  })

  it('pauses an entity with a reason and an end, shows who paused it, and resumes it', async () => {
    const { page, complaints, open } = opened.browser
    await open('entities/CL')
    await page.getByRole('button', { name: 'Pause', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Until: 06:00 \(\S+\), 8h or 2d/).fill('tomorrow')
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click()
    await dialog.getByText("'tomorrow' is not a time.").waitFor()
    await dialog.getByLabel(/^Until/).fill('8h')
    await dialog.getByLabel('Reason').fill('The platform is migrated')
    await dialog.getByText("longshore pause CL --until 8h --reason 'The platform is migrated'").waitFor()
    await dialog.getByRole('button', { name: 'Pause', exact: true }).click()
    await page
      .getByText(/CL has been paused by user\/operator since .*: The platform is migrated\./)
      .waitFor()
    await page.getByText(/^paused, [78] h left$/).waitFor()
    expect(await page.getByRole('button', { name: 'Pause', exact: true }).count()).toBe(0)
    await expectAccessible(page)
    await opened.act('Resume', 'Resume')
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
    expect(await page.getByText('has been paused').count()).toBe(0)
    // The browser logs the refused time itself.
    expect(complaints.filter((text) => !text.includes('400'))).toEqual([])
  })

  it('shows what happened in a run', async () => {
    const { page, open } = opened.browser
    await open('entities/CL')
    await page.locator('table.runs tbody a').first().click()
    await page.getByRole('heading', { name: 'Run of CL' }).waitFor()
    expect(await page.locator('.story').innerText()).toContain('Proof: exact.')
    expect(await page.locator('h1 .badge.good').innerText()).toBe('published')
    expect(await page.getByRole('button', { name: 'Cancel run' }).count()).toBe(0)
    expect(await page.getByText('longshore review').count()).toBe(0)
    expect(await page.title()).toBe('CL · Run · Longshore')
    expect(await page.evaluate('document.activeElement.tagName')).toBe('MAIN')
    expect(await page.getByRole('link', { name: 'Execution in the AWS console' }).count()).toBe(1)
    const phases = page.locator('.phase')
    // The times of the pages arrive after the run itself.
    await phases.getByText('First page').waitFor()
    await phases.getByText('Comparison').waitFor()
    const names = await phases.locator('strong').allInnerTexts()
    expect(names).toEqual(['First page', 'Scroll', 'Proof', 'Guards', 'Publication', 'Comparison'])
    expect(await phases.locator('.phase-checks').innerText()).toContain('nothing was published before')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await page.getByRole('button', { name: /^Copy: .* logs / }).click()
    await page.getByText('Copied', { exact: true }).waitFor()
    await expectReadable(page)
  })

  it('offers no acceptance where nothing was refused', async () => {
    const { page, open } = opened.browser
    await open('entities/CL')
    await page.getByRole('button', { name: 'Start sync' }).waitFor()
    expect(await page.getByRole('button', { name: /^Accept/ }).count()).toBe(0)
  })

  it('links a run to its change set', async () => {
    const { page, open } = opened.browser
    await open('entities/CL')
    await page.locator('table.runs tbody tr').first().getByRole('link').click()
    // The page of the entity has a link to a change set, too.
    await page.getByRole('heading', { name: 'Run of CL' }).waitFor()
    await page
      .locator('.facts-grid')
      .getByRole('link', { name: /^(reset|\+\d+ ~\d+ −\d+)$/ })
      .click()
    await page.getByRole('heading', { name: 'Change set of CL' }).waitFor()
    expect(page.url()).toContain('/changes/')
  })

  it('cancels a sync after a confirmation', async () => {
    const { page, open } = opened.browser
    opened.slowly(700)
    await open('entities/CL')
    await opened.act('Start sync', 'Start sync')
    await page.getByRole('progressbar', { name: 'Progress of CL' }).waitFor()
    expect(await opened.act('Cancel run', 'Cancel run')).toContain('The worker stops within 5 seconds')
    await page.locator('table.runs tbody tr').first().getByText('cancelled').waitFor()
    expect(await page.locator('.facts-grid').innerText()).toContain('95')
  })

  /** The problems and notes of the overview, or of an entity. */
  const attention = () => opened.browser.page.locator('[aria-labelledby=attention]')

  /** The overview shows a refused run first, and on a phone too that the snapshot is not the newest state. */
  async function expectAttention() {
    const { page, open } = opened.browser
    await open('')
    await attention().getByText('run refused').waitFor()
    expect(await attention().innerText()).toMatch(
      /found 20 documents, 78\.9% fewer than the 95 of the snapshot/,
    )
    await attention()
      .getByRole('button', { name: /^Copy: .* longshore review / })
      .waitFor()
    await expectReadable(page)
    await page.setViewportSize({ width: 390, height: 844 })
    const row = page.locator('table.entities tbody tr').filter({ hasText: 'CL' })
    expect(await row.getByText('run refused', { exact: true }).isVisible()).toBe(true)
    expect(await page.locator('.tiles').innerText()).toMatch(/0\s+Fresh/)
    await page.setViewportSize({ width: 1280, height: 900 })
  }

  it('does nothing if the confirmation is closed', async () => {
    const { page, open } = opened.browser
    await open('entities/CL')
    await page.locator('table.runs tbody tr').first().waitFor()
    const before = await page.locator('table.runs tbody tr').count()
    await page.getByRole('button', { name: 'Start sync' }).click()
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.locator('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Start sync' }).click()
    await page.getByRole('button', { name: 'Back' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
    expect(await page.locator('table.runs tbody tr').count()).toBe(before)
  })

  it('shows what was refused, and publishes exactly that once it is accepted, then its change set', async () => {
    const { page, open } = opened.browser
    const all = makeDocuments(95)
    opened.world.platform.documents.set('CL', all.slice(0, 20))
    await open('entities/CL')
    await opened.act('Start sync', 'Start sync')
    await attention().getByText('run refused').waitFor()
    expect(await attention().innerText()).toContain('fewer than the 95 of the snapshot published')
    await expectAttention()
    await open('entities/CL')
    await expectAccessible(page)
    await attention().getByRole('link', { name: 'Review' }).click()
    await page.locator('.story .problem').getByText('A guard refused the snapshot.').waitFor()
    const review = page.getByRole('region', { name: 'Review' })
    await review.getByText('A guard refused to publish this snapshot.').waitFor()
    // The reason is in its place, and only there.
    expect(await review.innerText()).toContain('fewer than the 95 of the published snapshot')
    const others = page.locator('.story, .phases')
    expect((await others.allInnerTexts()).join(' ')).not.toContain('fewer than the 95')
    await review.getByRole('row', { name: '2020-01 75 95 79%' }).waitFor()
    expect(await review.locator('.sample li').count()).toBe(5)
    expect(await review.innerText()).toMatch(/longshore review \d{8}T[\s\S]*longshore accept \d{8}T/)
    await expectReadable(page)
    // What is accepted is what was reviewed.
    opened.world.platform.documents.set('CL', all.slice(0, 3))
    expect(await opened.act('Accept', 'Publish')).toContain('exactly what is shown on this page')
    await review.getByText('The snapshot is published. A guard refused its change set.').waitFor()
    expect((await opened.world.snapshot('CL')).lines).toHaveLength(20)
    await opened.act('Accept', 'Publish')
    await review.waitFor({ state: 'detached' })
    await page.locator('.facts-grid').getByRole('link', { name: '+0 ~0 −75' }).waitFor()
    opened.world.platform.documents.set('CL', all)
  })

  it('accepts a snapshot and its change set with one decision', async () => {
    const { page, open } = opened.browser
    const all = makeDocuments(95)
    opened.world.platform.documents.set('CL', all)
    await open('entities/CL')
    await opened.act('Start sync', 'Start sync')
    await page.locator('.facts-grid').getByText('95', { exact: true }).waitFor()
    opened.world.platform.documents.set('CL', all.slice(0, 20))
    await opened.act('Start sync', 'Start sync')
    await attention().getByRole('link', { name: 'Review' }).click()
    await page.getByRole('button', { name: 'Accept', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel(/^Also publish its change set/).check()
    await dialog.getByText(/longshore accept \S+ --with-changes/).waitFor()
    await expectAccessible(page)
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
    await page.getByRole('region', { name: 'Review' }).waitFor({ state: 'detached' })
    await page.locator('.facts-grid').getByRole('link', { name: '+0 ~0 −75' }).waitFor()
    opened.world.platform.documents.set('CL', all)
  })

  it('offers no decision about a refused snapshot once another one is published', async () => {
    const { page, open } = opened.browser
    const { platform } = opened.world
    const all = makeDocuments(95)
    const documents = page.locator('.facts-grid').getByText('95', { exact: true })
    await open('entities/CL')
    await opened.act('Start sync', 'Start sync')
    await documents.waitFor()
    platform.documents.set('CL', all.slice(0, 20))
    await opened.act('Start sync', 'Start sync')
    await attention().getByRole('link', { name: 'Review' }).click()
    const review = page.getByRole('region', { name: 'Review' })
    await review.getByText('longshore accept').waitFor()
    const route = page.url().replace(/.*#\//, '')
    // Another number of documents, by which the next test sees that its sync has published.
    platform.documents.set('CL', all.slice(1))
    await open('entities/CL')
    await opened.act('Start sync', 'Start sync')
    await attention().getByText('Nothing needs attention.').waitFor()
    await open(route)
    await review.getByText(/^The refused snapshot of run \S+ is gone\./).waitFor()
    expect(await review.innerText()).not.toMatch(/longshore (review|accept)/)
    opened.browser.complaints.length = 0
  })

  it('explains a snapshot whose change set was refused, and accepts its deletes', async () => {
    const { page, open } = opened.browser
    const all = makeDocuments(95)
    opened.world.platform.documents.set('CL', all)
    await open('entities/CL')
    await opened.act('Start sync', 'Start sync')
    await page.locator('.facts-grid').getByText('95', { exact: true }).waitFor()
    // As many documents as before: the guard of the snapshot only counts.
    opened.world.platform.documents.set('CL', [...all.slice(0, 75), ...makeDocuments(115).slice(95)])
    await opened.act('Start sync', 'Start sync')
    await attention().getByText('changes refused').waitFor()
    for (const tab of ['Snapshots', 'Changes', 'Schema']) {
      await page.getByRole('navigation', { name: 'Views of CL' }).getByRole('link', { name: tab }).click()
      await page.getByRole('heading', { name: `${tab} of CL` }).waitFor()
      await attention().getByText('changes refused').waitFor()
      expect(await page.getByRole('button', { name: 'Start sync' }).count()).toBe(1)
    }
    expect(await attention().innerText()).toContain('was refused: it deletes 20 of 95 documents.')
    await attention().getByRole('link', { name: 'Review' }).click()
    await page.getByRole('region', { name: 'Review' }).waitFor()
    await opened.act('Accept', 'Publish')
    await open('entities/CL')
    await page.getByText(/\+20 ~0 −20/).waitFor()
    await page.getByRole('heading', { name: 'Nothing needs attention.' }).waitFor()
    opened.world.platform.documents.set('CL', all)
  })

  it('reports that an unknown entity or page does not exist', async () => {
    const { page } = opened.browser
    await page.goto(`${page.url().replace(/#.*/, '')}#/entities/XX`)
    await page.getByText('This entity is not configured. The configured entities are: CL, AD.').waitFor()
    await page.goto(`${page.url().replace(/#.*/, '')}#/nothing/here`)
    await page.getByRole('heading', { name: 'This page does not exist.', level: 1 }).waitFor()
    expect(await page.getByRole('link', { name: 'Go to the overview' }).count()).toBe(1)
  })

  it('can be used with the keyboard alone', async () => {
    const { page, open } = opened.browser
    await open('')
    await page.reload()
    await page.getByRole('heading', { level: 1 }).waitFor()
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
      const zone = await page.locator('.zone').innerText()
      expect(zone).toMatch(/^Times in\s+UTC/)
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

    it('reports that the session has ended', async () => {
      const { page, open } = opened.browser
      await open('')
      await page.context().clearCookies()
      await page.clock.fastForward(maxIntervalMs)
      await page.getByText('The session has ended.').waitFor()
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Longshore')
    })
  })
})
