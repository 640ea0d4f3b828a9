import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { makeDocuments } from '../../../local/stand-in/documents.ts'
import { drill } from '../drill.ts'
import { longshoreArgs } from '../page-commands.ts'
import { commandsOf, situation } from '../pages.ts'
import { expectHealthy, type LocalDrill, type LocalOperator, type LocalWorld, succeeds } from './world.ts'

const stopped = situation('symptoms', 'A program that reads change sets was stopped for a while')
const [follow = '', update = ''] = longshoreArgs(commandsOf(stopped.text, { PROGRAM: './receive' }))
const documents = makeDocuments(210)
/** What the platform has after this many changes: each adds one document, removes one and changes some. */
const documentsAfter = (changes: number) =>
  documents
    .slice(changes, 200 + changes)
    .map((document, index) =>
      index < changes ? Buffer.from(`${String(document).slice(0, -1)},"changed":${changes}.50}`) : document,
    )
const changes = 10

interface ChangeRecord {
  readonly op: 'c' | 'u' | 'd' | 'r'
  readonly id: string
  readonly after?: unknown
}

/** The copy of a program that reads change sets: documents by id, as JSON text. */
function createConsumer({ folder }: Pick<LocalWorld, 'folder'>) {
  const position = join(folder, 'CL.position.json')
  const received = join(folder, 'received.ndjson')
  writeFileSync(join(folder, 'receive'), '#!/bin/sh\ncat >>received.ndjson\n', { mode: 0o700 })
  const stored = new Map<string, string>()
  const isAt = (runId: string) => existsSync(position) && readFileSync(position, 'utf8').includes(runId)
  return {
    position,
    isAt,
    load(file: string): void {
      stored.clear()
      for (const line of readFileSync(join(folder, file), 'utf8').trimEnd().split('\n'))
        stored.set(JSON.parse(line).id, JSON.stringify(JSON.parse(line)))
    },
    /**
     * Applies the records of each set once it is complete, and stops at this run. Returns how many records it received.
     */
    async follow(operator: LocalOperator, args: string, runId: string): Promise<number> {
      writeFileSync(received, '')
      const { stdout } = await operator.follow(args, () => isAt(runId))
      // The program of --exec received them, or else they were printed.
      const records = (stdout + readFileSync(received, 'utf8'))
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as ChangeRecord)
      for (const { op, id, after } of records) {
        // A record that is received twice, or that is missing, differs from what is stored.
        expect({ op, id, isStored: stored.has(id) }).toEqual({ op, id, isStored: op !== 'c' })
        if (op === 'd') stored.delete(id)
        else stored.set(id, JSON.stringify(after))
      }
      return records.length
    },
    documents: () => [...stored.values()].toSorted(),
  }
}

const sorted = (source: readonly Buffer[]) =>
  source.map((document) => JSON.stringify(JSON.parse(String(document)))).toSorted()

async function publishAfter(world: LocalWorld, count: number): Promise<string> {
  world.platform.documents.set('CL', documentsAfter(count))
  await succeeds(world.longshore('sync CL --watch'))
  await world.compared('CL')
  return (await world.lastRun('CL')).runId
}

/** A program follows the change sets of CL, and has the documents of the platform. */
async function beginToFollow(world: LocalWorld) {
  const runId = await publishAfter(world, 0)
  const consumer = createConsumer(world)
  await succeeds(world.longshore('pull CL -o CL.ndjson --force'))
  for (const file of [consumer.position, join(world.folder, 'consumer.ndjson')]) rmSync(file, { force: true })
  // Without a position it names the snapshot to begin with.
  const { stderr } = await world.follow(follow, () => consumer.isAt(runId))
  const [, pull = ''] = /longshore (pull CL --run \S+)/.exec(stderr) ?? []
  await succeeds(world.longshore(`${pull} -o consumer.ndjson`))
  consumer.load('consumer.ndjson')
  return consumer
}

/** Programs that read change sets and did not run while the sets were published. */
export const consumerDrills: LocalDrill[] = [
  drill('symptoms', [stopped.title, 'it missed ten sets'], async (world) => {
    const consumer = await beginToFollow(world)
    let tip = ''
    for (let count = 1; count <= changes; count++) tip = await publishAfter(world, count)
    return async (operator) => {
      // The set after n changes creates one document, deletes one and updates n: each is received once.
      const records = Array.from({ length: changes }, (_, index) => 2 + index + 1)
      const sum = records.reduce((total, count) => total + count, 0)
      expect(await consumer.follow(operator, follow, tip)).toBe(sum)
      expect(consumer.documents()).toEqual(sorted(documentsAfter(changes)))
      const { stdout } = await succeeds(operator.longshore(`${update} --json`))
      expect(JSON.parse(stdout)).toMatchObject({ sets: changes, runId: tip, verified: true })
      consumer.load('CL.ndjson')
      expect(consumer.documents()).toEqual(sorted(documentsAfter(changes)))
      await expectHealthy(operator)
    }
  }),
  drill('symptoms', [stopped.title, 'the sets that it missed are gone'], async (world) => {
    const consumer = await beginToFollow(world)
    // A reset forgets earlier sets, as their expiry does.
    await succeeds(world.longshore('changes CL --reset'))
    const tip = await publishAfter(world, 1)
    return async (operator) => {
      for (const args of [follow, update]) {
        const { code, stderr } = await operator.longshore(args)
        expect({ code, stderr }).toEqual({
          code: 1,
          stderr: expect.stringContaining('they expired, the chain was reset') as string,
        })
      }
      const { stderr } = await operator.longshore(follow)
      const [again = '', next = ''] = [...stderr.matchAll(/longshore ([^()\n]+)/g)].map(
        ([, args = '']) => args,
      )
      const { stdout } = await succeeds(operator.longshore(`${again} --json`))
      expect(stderr).toContain(`delete ${consumer.position}`)
      rmSync(consumer.position)
      consumer.load('CL.ndjson')
      const { runId } = JSON.parse(stdout)
      expect(runId).toBe(tip)
      await consumer.follow(operator, next.replace('RUN', runId), await publishAfter(world, 2))
      expect(consumer.documents()).toEqual(sorted(documentsAfter(2)))
      await succeeds(operator.longshore(update))
      await expectHealthy(operator)
    }
  }),
]
