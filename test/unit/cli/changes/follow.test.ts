import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { followChanges } from '../../../../cli/changes/follow.ts'
import { printer } from '../../../../cli/changes/receivers.ts'
import { awsClients } from '../../../../operator/aws/clients.aws.ts'
import { openStores } from '../../../../operator/aws/objects.aws.ts'
import { failureOf } from '../../../../operator/errors.ts'
import { useBucket } from '../../../embedded-bucket.ts'
import { type FixtureSet, publishChain } from '../../../integration/change-set-fixture.ts'
import { noPause } from '../../../pauses.ts'
import { localSource } from '../../operator/changes/local-source.ts'

const bucket = 'snapshots'
const [r1, r2, r3] = ['1', '2', '3'].map((n) => `2026030${n}T060000000Z-0123456789ab`) as [
  string,
  string,
  string,
]
const record = (id: string) => `{"op":"c","id":"${id}","after":{"id":"${id}"}}`
const set = (runId: string, base: string, id: string): FixtureSet => ({
  runId,
  base,
  records: [record(id)],
  counts: { created: 1, updated: 0, deleted: 0 },
  state: new Map(),
})
const source = localSource(bucket)

useBucket(bucket)
let position: string
beforeAll(async () => {
  await publishChain({ s3: awsClients.bucket(), bucket } as never, 'CL', [set(r2, r1, 'a'), set(r3, r2, 'b')])
})
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'longshore-test-'))
  position = join(folder, 'CL.json')
  return () => rmSync(folder, { recursive: true })
})

/** Follows until `stopAfter` sets were printed, or a write fails. */
async function follow({
  since,
  stopAfter = 2,
  fails,
  pipe = false,
}: {
  since?: string
  stopAfter?: number
  fails?: Error
  pipe?: boolean
}) {
  const stop = new AbortController()
  const [notes, printed]: [string[], string[]] = [[], []]
  const terminal = { note: (text: string) => void notes.push(text) }
  const receiver = printer({
    kind: pipe ? 'pipe' : 'kept',
    async write(lines: Buffer) {
      if (fails) throw fails
      printed.push(lines.toString())
      if (printed.length === stopAfter) stop.abort()
    },
  } as never)
  if (stopAfter === 0) stop.abort()
  const store = openStores(bucket).changes
  const following = {
    store,
    source,
    since,
    position,
    receiver,
    terminal,
    pause: noPause,
    signal: stop.signal,
  }
  return { notes, printed, failure: await followChanges(following as never).catch(failureOf) }
}

const stored = () => JSON.parse(readFileSync(position, 'utf8')).runId as string
const stopped = (run: string) => ({
  kind: 'interrupted',
  message: `Stopped after run ${run}. The same command continues from there.`,
})

describe('longshore changes --follow', () => {
  it('keeps its position behind what a pipe may still contain', async () => {
    const { printed } = await follow({ since: r1, pipe: true })
    expect(printed).toHaveLength(2)
    expect(stored()).toBe(r1)
  })

  it('begins at the tip without a position, and names the command for the documents until then', async () => {
    expect(await follow({ stopAfter: 0 })).toEqual({
      notes: [
        `To begin with the documents of run ${r3}: npx --no-install longshore --local pull CL --run ${r3}`,
        `Following CL after run ${r3}. The position is stored in ${position}.`,
      ],
      printed: [],
      failure: stopped(r3),
    })
    expect(stored()).toBe(r3)
  })

  it('keeps the position of the last complete set if its reader has ended', async () => {
    const fails = Object.assign(new Error('closed'), { code: 'EPIPE' })
    const { failure } = await follow({ since: r1, fails })
    expect(failure).toMatchObject({
      kind: 'problem',
      message: `The program that reads the records has exited. The position is run ${r1}.`,
    })
    expect(stored()).toBe(r1)
  })

  it('fails if the records cannot be written', async () => {
    const { failure } = await follow({ since: r1, fails: new Error('No space.') })
    expect(failure).toMatchObject({ message: expect.stringContaining('No space.') })
  })

  it('fails if no sets lead on from the position, and explains how to discard it', async () => {
    const { failure } = await follow({ since: '20250301T060000000Z-0123456789ab' })
    expect(failure).toMatchObject({
      kind: 'problem',
      fix: expect.stringContaining(`delete ${position} and continue`),
    })
  })
})

const printed = (sizes: readonly number[]) => {
  const receiver = printer({ kind: 'pipe', write: async () => undefined } as never)
  const deliver = async (size: number, index: number) => {
    async function* lines() {
      if (size > 0) yield Buffer.alloc(size)
    }
    return receiver.deliver(`r${index}`, lines())
  }
  return sizes.reduce<Promise<(string | undefined)[]>>(
    async (before, size, index) => [...(await before), await deliver(size, index)],
    Promise.resolve([]),
  )
}
const mib = 1_048_576

it.each([
  ['a set without records, if nothing precedes it', [0, 0], ['r0', 'r1']],
  ['a set once 1 MiB follows it', [10, mib - 1, 1, 0], [undefined, undefined, 'r0', 'r0']],
  ['several sets at once', [10, 10, 2 * mib], [undefined, undefined, 'r1']],
  ['a set without records with those before it', [10, 0, mib], [undefined, undefined, 'r1']],
])('a pipe accepts %s', async (_, sizes, accepted) => expect(await printed(sizes)).toEqual(accepted))
