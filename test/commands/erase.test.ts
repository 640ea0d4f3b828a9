import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Terminal } from '../../cli/shell/terminal.ts'
import { makeDocuments } from '../../local/stand-in/documents.ts'
import { type CliWorld, startCliWorld } from '../integration/cli-world.ts'

let world: CliWorld
let id: string
let email: string
beforeAll(async () => {
  world = await startCliWorld()
  ;({ id, email } = JSON.parse(String(makeDocuments(95)[9])))
  await world.world.sync('CL')
  world.platform.documents.set(
    'CL',
    makeDocuments(95).filter((_, index) => index !== 9),
  )
  await world.world.sync('CL')
})
afterAll(() => world.close())

const isKept = async () => (await world.longshore(`history CL ${id}`)).code === 0

describe('erase', () => {
  it('shows a value in another form, and includes it with --any-form', async () => {
    const where = `erase CL --where email=${email.toUpperCase()}`
    const exact = await world.longshore(`${where} --dry-run`)
    expect(exact).toMatchObject({ code: 0 })
    expect(exact.stdout).toContain(`1 document has it in another form: "${email}".`)
    const [, include = ''] = /→ .* longshore (.*) --config .*\n$/.exec(exact.stdout) ?? []
    expect(include).toBe(`${where} --any-form --dry-run`)
    const included = await world.longshore(include)
    expect(included.stdout).toMatch(/\nContains it:\nKIND .*\nsnapshot +20\S+ +1 /)
    const data: unknown = JSON.parse((await world.longshore(`${include} --json`)).stdout)
    expect(data).toMatchObject({ forms: 'any', ids: [`"${id}"`], otherForms: [email], removed: null })
  })

  it('only shows where a document is without --yes', async () => {
    const scripted = await world.longshore(`erase CL --id ${id}`)
    expect(scripted).toMatchObject({ code: 1 })
    expect(scripted.stdout).toMatch(/\nsnapshot +20\S+ +1 /)
    expect(scripted.stdout).toMatch(/Nothing was erased\.\n {2}→ .* erase CL --id \S+ --yes --config /)
    expect(await world.longshore(`erase CL --id ${id} --dry-run`)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(`Nothing was erased\\. To erase it:\n  → .* erase CL --id ${id} `),
    })
    expect(await isKept()).toBe(true)
  })

  it('asks a person, and erases only after Yes', async () => {
    const answers = [false, true]
    const person: Partial<Terminal> = {
      isInteractive: true,
      async confirm(question) {
        expect(question).toMatch(
          /^The published snapshot of CL [\s\S]*\nDelete all of these versions for good\?$/,
        )
        return answers.shift() ?? false
      },
    }
    const no = await world.longshoreFor(person, `erase CL --id ${id}`)
    expect(no).toMatchObject({ code: 1, stdout: 'Nothing was erased.\n' })
    expect(await isKept()).toBe(true)
    const yes = await world.longshoreFor(person, `erase CL --id ${id}`)
    expect(yes).toMatchObject({ code: 0 })
    expect(yes.stdout).toMatch(/Deleted \d+ versions of objects and \d+ items of the state table, by /)
    expect(await isKept()).toBe(false)
  })
})
