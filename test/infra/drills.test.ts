import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { problemKinds } from '../../functions/problems/problem-table.ts'
import { accountDrills } from '../drills/account/index.ts'
import { recoveryDrills } from '../drills/account/recovery.ts'
import { nameOf } from '../drills/drill.ts'
import { executions, expectedCommands } from '../drills/executions.ts'
import { localDrills } from '../drills/local/index.ts'
import { commandsInTexts } from '../drills/named-commands.ts'
import { type PageName, situationsOf } from '../drills/pages.ts'

const drills = [...localDrills, ...accountDrills, ...recoveryDrills]
const tried = (page: PageName) =>
  new Set(drills.filter((drill) => drill.page === page).map(({ situation }) => situation))

it.each(['runbook', 'symptoms'] as const)('each situation of the %s has a drill', (page) => {
  const situations = situationsOf(page).map(({ title }) => title)
  expect(situations.length).toBeGreaterThan(20)
  // Each kind of problem has one in test/unit/look/kinds.test.ts, and many have one here too.
  const others = new Set<string>([...problemKinds, 'Problems', 'Problems opened', 'Failed runs'])
  expect(situations.filter((title) => !tried(page).has(title) && !others.has(title))).toEqual([])
})

it('each situation of docs/recovery.md has a drill, except where only AWS can show it', () => {
  const titles = situationsOf('recovery').map(({ title }) => title)
  // The commands of these are checked for their form in test/unit/aws-commands.test.ts and docs-commands.test.ts.
  const onlyCommands = ['Settings of a table', 'A region is lost', 'Two deployments on one platform account']
  expect(titles.filter((title) => !tried('recovery').has(title)).toSorted()).toEqual(onlyCommands.toSorted())
})

it('each drill covers a situation that its page describes', () => {
  const known = ({ page, situation }: { page: PageName; situation: string }) =>
    situationsOf(page).some(({ title }) => title === situation)
  expect(drills.filter((drill) => !known(drill)).map(({ situation }) => situation)).toEqual([])
})

it('there are drills for installing a newer version and for uninstalling', () => {
  expect([...tried('deploy')]).toEqual(expect.arrayContaining(['Upgrade', 'Uninstall']))
})

describe('each command that an error, a finding or a result names', () => {
  it('exists in the command line, and a test executes it', () => {
    const rows = Object.entries(executions).flatMap(([file, forms]) =>
      Object.keys(forms).map((form) => `${file}: ${form}`),
    )
    const named = commandsInTexts().map(({ file, form }) => `${file}: ${form}`)
    expect(named.length).toBeGreaterThan(60)
    expect(rows.toSorted()).toEqual(named.toSorted())
  })

  it('is executed by a test that exists', () => {
    const sources = globSync('test/{integration,commands,browser,drills}/**/*.test.ts').map((file) =>
      readFileSync(file, 'utf8'),
    )
    const isDrill = new Set(drills.map(nameOf))
    const titles = [...expectedCommands().keys()].filter((title) => !isDrill.has(title))
    expect(titles.filter((title) => !sources.some((text) => text.includes(`'${title}'`)))).toEqual([])
  })
})
