import { describe, expect, it } from 'vitest'
import { isWithoutBrowser } from '../../scripts/chromium.ts'
import { expectAccessible, expectReadable, layoutShift } from './console-browser.ts'
import { consoleInBrowser } from './console-in-browser.ts'

describe.skipIf(isWithoutBrowser)('syncs in the console', () => {
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

  it('starts the first sync from the overview', async () => {
    const { page, complaints } = opened.browser
    const attention = page.locator('[aria-labelledby=attention]')
    expect(await attention.getByRole('button', { name: 'Start sync', exact: true }).count()).toBe(2)
    const ofCl = attention.getByRole('listitem').filter({ hasText: 'CL has no snapshot yet.' })
    await ofCl.getByRole('button', { name: 'Start sync', exact: true }).click()
    await page.getByRole('dialog').getByText('Start a sync of CL?').waitFor()
    await page.getByRole('button', { name: 'Back' }).click()
    await page.locator('dialog').waitFor({ state: 'detached' })
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
    await page.getByRole('img', { name: 'Documents: 95 to 95' }).press('End')
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
    await dialog.getByLabel(/^Until/).fill('06:00')
    await dialog.getByText(/It ends \S+ \d+, \d{4}, 06:00 UTC \(06:00 UTC\)\./).waitFor()
    await dialog.getByText(/longshore pause CL --until \d{4}-\d\d-\d\dT06:00:00\.000Z/).waitFor()
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
})
