import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { isWithoutBrowser } from '../../scripts/chromium.ts'
import { expectAccessible, expectNoOverflow, expectReadable } from './console-browser.ts'
import { consoleInBrowser } from './console-in-browser.ts'

const big = 'y'.repeat(1_000_000)
const hostile = [
  { id: '<script>globalThis.attacked = 1</script>', html: '<img src=x onerror="globalThis.attacked = 2">' },
  { id: 'bidi', file: 'invoice\u202Egpj.exe', hidden: 'pay\u200Bpal\u0007' },
  { id: 'big', note: big },
  { id: '../../?a=%2F#"\'', '__proto__.x': { toString: null }, constructor: [] },
  { id: 12345678901234567890n },
  { name: 'without an id' },
].map((document) =>
  Buffer.from(
    JSON.stringify(document, (_, value: unknown) =>
      typeof value === 'bigint' ? `#${value}#` : value,
    ).replaceAll(/"#(\d+)#"/g, '$1'),
  ),
)

describe.skipIf(isWithoutBrowser)('documents in the console', () => {
  const usual = makeDocuments(89)
  const opened = consoleInBrowser(async (world) => {
    world.platform.documents.set('CL', [...hostile, ...usual])
    await world.longshore('credentials set --skip-check --no-sync', 'app-key\napp-token')
    await world.longshore('sync CL --watch')
    const changed = Buffer.from(String(usual[0]).replace('"updatedIn":null', '"updatedIn":"<b>now</b>"'))
    const created = makeDocuments(1, { seed: 9 })
    world.platform.documents.set('CL', [...hostile, changed, ...usual.slice(1, -1), ...created])
    await world.longshore('sync CL --watch')
    return ''
  })

  const idOf = (document: Buffer | undefined) => (JSON.parse(String(document)) as { id: string }).id

  async function find(id: string) {
    const { page } = opened.browser
    await page.getByRole('searchbox', { name: 'Id' }).fill(id)
    await page.getByRole('button', { name: 'Find' }).click()
  }

  it('are browsed page by page', async () => {
    const { page, complaints, open } = opened.browser
    await open('entities/CL/snapshots')
    await page.locator('.documents details').first().waitFor()
    await page.getByText('Page 1 of 10').waitFor()
    expect(await page.locator('.documents details').count()).toBe(10)
    await page.getByRole('button', { name: 'Next' }).first().click()
    await page.getByText('Page 2 of 10').waitFor()
    await page
      .locator('.documents summary')
      .filter({ hasText: idOf(usual[4]) })
      .waitFor()
    await page.locator('.documents summary').first().click()
    expect(await page.locator('.fields').innerText()).toContain('email')
    await expectReadable(page)
    expect(complaints).toEqual([])
  })

  it('are those of the published snapshot, until another one is chosen', async () => {
    const { page, open } = opened.browser
    await open('entities/CL/snapshots')
    const choice = page.getByRole('combobox', { name: 'Snapshot' })
    const options = choice.locator('option')
    await choice.waitFor()
    expect(
      await options.evaluateAll((all) => all.map((one) => one.textContent.includes('(published)'))),
    ).toEqual([true, false])
    const [published, older] = await options.evaluateAll((all) =>
      all.map((one) => (one as { value?: string }).value),
    )
    expect(await choice.inputValue()).toBe(published)
    await choice.selectOption(older ?? '')
    await page.waitForURL((url) => url.hash === `#/entities/CL/snapshots/${older}`)
    await page.getByRole('link', { name: 'See what happened' }).click()
    await page.waitForURL((url) => url.hash === `#/entities/CL/runs/${older}`)
  })

  it('are those of a snapshot whose evidence is on a page of its own, in plain tables', async () => {
    const { page, complaints, open } = opened.browser
    await open('entities/CL/snapshots')
    await page.getByRole('link', { name: 'See what happened' }).click()
    await page.getByRole('link', { name: 'exact' }).click()
    await page.getByText(/^95 unique ids in the stored pages; the platform reported 95; /).waitFor()
    await page.emulateMedia({ media: 'print' })
    expect(await page.locator('header.top').isVisible()).toBe(false)
    await page.emulateMedia({ media: null })
    await expectAccessible(page)
    await expectReadable(page)
    await expectNoOverflow(page)
    expect(complaints).toEqual([])
  })

  it('are shown as text, whatever they contain', async () => {
    const { page, complaints, open } = opened.browser
    await open('entities/CL/snapshots')
    await page.locator('.documents details').first().waitFor()
    for (const summary of await page.locator('.documents summary').all()) await summary.click()
    const text = await page.locator('.documents').innerText()
    expect(text).toContain('<script>globalThis.attacked = 1</script>')
    expect(text).toContain('"<img src=x onerror=\\"globalThis.attacked = 2\\">"')
    expect(text).toContain('invoiceU+202Egpj.exe')
    expect(text).toContain('payU+200Bpal')
    expect(text).toContain('12345678901234567890')
    expect(text).toContain('no id')
    expect(await page.evaluate('globalThis.attacked')).toBeUndefined()
    expect(await page.locator('.documents img, .documents script').count()).toBe(0)
    await expectReadable(page)
    expect(complaints).toEqual([])
  })

  it('show only the beginning of a long value until the whole value is requested', async () => {
    const { page, open } = opened.browser
    await open('entities/CL/snapshots')
    await page.locator('.documents summary').filter({ hasText: 'big' }).click()
    const value = page.locator('.fields dd').filter({ hasText: '1,000,002 characters' })
    expect((await value.innerText()).length).toBeLessThan(700)
    await value.getByRole('button', { name: 'Show all' }).click()
    await value.getByRole('button').waitFor({ state: 'detached' })
    expect(await page.evaluate('document.querySelectorAll(".fields dd")[1].textContent.length')).toBe(
      1_000_002,
    )
    await expectNoOverflow(page)
  })

  it('are found by their id, and a message reports if there is none', async () => {
    const { page, open } = opened.browser
    await open('entities/CL/snapshots')
    const id = idOf(usual[50])
    await find(id)
    const found = page.locator('section[aria-labelledby="find"] details')
    expect(await found.innerText()).toContain(id)
    await find('12345678901234567890')
    await found.filter({ hasText: '12345678901234567890' }).waitFor()
    await find('<i>nobody</i>')
    await page.getByText('No document with the id <i>nobody</i> in this snapshot.').waitFor()
    await expectAccessible(page)
  })

  it('lead to their history if they were deleted', async () => {
    const { page, open } = opened.browser
    await open('entities/CL/snapshots')
    await find(idOf(usual.at(-1)))
    await page.getByRole('link', { name: 'Search the other snapshots and the change sets' }).click()
    await page.getByText('The newest snapshot does not contain it.').waitFor()
    expect(await page.locator('.history .badge').first().innerText()).toBe('deleted')
  })

  it('are read again without a reload when the network is back', async () => {
    const { page, open } = opened.browser
    await open('entities/CL/snapshots')
    await page.locator('.documents details').first().waitFor()
    await page.context().setOffline(true)
    await page.getByRole('button', { name: 'Next' }).first().click()
    await page.getByText('The console is not responding.').first().waitFor()
    await page.context().setOffline(false)
    await page
      .locator('.documents summary')
      .filter({ hasText: idOf(usual[4]) })
      .waitFor()
    expect(await page.getByText('The console is not responding.').count()).toBe(0)
  })

  it('have a history with what changed, field by field', async () => {
    const { page, complaints, open } = opened.browser
    await open(`entities/CL/documents/${encodeURIComponent(idOf(usual[0]))}`)
    const newest = page.locator('.history li').first()
    await newest.getByText('change set').waitFor()
    expect(await newest.locator('.before').innerText()).toContain('null')
    expect(await newest.locator('.after').innerText()).toContain('"<b>now</b>"')
    expect(await page.locator('.history li').nth(1).innerText()).toContain('present')
    await expectReadable(page)
    await open(`entities/CL/documents/${encodeURIComponent(idOf(usual.at(-1)))}`)
    await page.getByText('The newest snapshot does not contain it.').waitFor()
    expect(await page.locator('.history').innerText()).toContain('deleted')
    await open(`entities/CL/documents/${encodeURIComponent('../../?a=%2F#"\'')}`)
    await page.locator('.fields').first().waitFor()
    expect(complaints).toEqual([])
  })

  it('are listed as records of a change set with before and after', async () => {
    const { page, complaints, open } = opened.browser
    await open('entities/CL/changes')
    await page.locator('tbody tr').first().waitFor()
    expect(await page.locator('tbody').innerText()).toContain('Reset: read the snapshot')
    await expectReadable(page)
    await page.locator('tbody a').first().click()
    await page.locator('.documents details').first().waitFor()
    expect(await page.locator('.documents details').count()).toBe(3)
    const updated = page.locator('.documents details').filter({ hasText: 'updated' })
    await updated.locator('summary').click()
    expect(await updated.innerText()).toContain('1 field changed, 10 unchanged')
    expect(await updated.locator('.after').innerText()).toContain('"<b>now</b>"')
    await expectReadable(page)
    expect(complaints).toEqual([])
  })

  it('are downloaded as one file with the bytes that the platform sent', async () => {
    const { page, open } = opened.browser
    await open('entities/CL/snapshots')
    const link = page.getByRole('link', { name: 'Download all documents' })
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()])
    expect(download.suggestedFilename()).toMatch(/^CL-\d{8}T\d{9}Z-[0-9a-f]{12}\.ndjson$/)
    const lines = (await readFile(await download.path())).toString().trimEnd().split('\n')
    expect(lines.length).toBe(95)
    expect(lines).toContain(String(hostile[4]))
  })

  it('follow what is published, without a reload', async () => {
    const { page, open } = opened.browser
    const options = page.getByRole('combobox', { name: 'Snapshot' }).locator('option')
    await open('entities/CL/snapshots')
    await options.nth(1).waitFor({ state: 'attached' })
    const older = await options.nth(1).getAttribute('value')
    await page.getByRole('combobox', { name: 'Snapshot' }).selectOption(older)
    await opened.act('Republish', 'Republish')
    await options.nth(2).waitFor({ state: 'attached' })
    expect(await options.first().innerText()).toContain('(republished, published)')
    await open(`entities/CL/documents/${encodeURIComponent(idOf(usual[0]))}`)
    const versions = page.locator('.history li')
    await versions.first().waitFor()
    const before = await versions.count()
    await opened.world.longshore('sync CL --watch')
    await versions.nth(before).waitFor()
  })
})
