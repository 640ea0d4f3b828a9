import { describe, expect, it } from 'vitest'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { isWithoutBrowser } from '../../scripts/chromium.ts'
import { expectAccessible, expectReadable } from './console-browser.ts'
import { consoleInBrowser } from './console-in-browser.ts'

describe.skipIf(isWithoutBrowser)('decisions about what a guard refused', () => {
  const opened = consoleInBrowser(async (world) => {
    await world.longshore('credentials set --skip-check --no-sync', 'app-key\napp-token')
    await world.longshore('sync CL --watch')
    return ''
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

  /** Publishes the 95 documents that the platform has. */
  async function publishAll() {
    const { page, open } = opened.browser
    const all = makeDocuments(95)
    opened.world.platform.documents.set('CL', all)
    await open('entities/CL')
    await opened.act('Start sync', 'Start sync')
    await page.locator('.facts-grid').getByText('95', { exact: true }).waitFor()
    return all
  }

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
    const { page } = opened.browser
    const all = await publishAll()
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
    const all = await publishAll()
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
    const all = await publishAll()
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
})
