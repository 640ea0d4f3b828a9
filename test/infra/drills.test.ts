import { expect, it } from 'vitest'
import { accountDrills } from '../drills/account/index.ts'
import { localDrills } from '../drills/local/index.ts'
import { type PageName, situationsOf } from '../drills/pages.ts'

const drills = [...localDrills, ...accountDrills]
const tried = (page: PageName) =>
  new Set(drills.filter((drill) => drill.page === page).map(({ situation }) => situation))

it.each(['runbook', 'troubleshooting'] as const)('each situation of docs/%s.md has a drill', (page) => {
  const situations = situationsOf(page).map(({ title }) => title)
  expect(situations.length).toBeGreaterThan(20)
  const missing = situations.filter((title) => !tried(page).has(title))
  expect(missing).toEqual([])
})

it('each drill is of a situation that its page has', () => {
  const known = ({ page, situation }: { page: PageName; situation: string }) =>
    situationsOf(page).some(({ title }) => title === situation)
  expect(drills.filter((drill) => !known(drill)).map(({ situation }) => situation)).toEqual([])
})

it('installing a newer version and taking everything away are drills, too', () => {
  expect([...tried('deploy')]).toEqual(expect.arrayContaining(['Upgrade', 'Uninstall']))
})
