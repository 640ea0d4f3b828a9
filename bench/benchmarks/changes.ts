import { copyFileSync, existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { changesLatestKey, changesPrefix, setManifestKey } from '../../stored/changes/change-keys.ts'
import { runPrefix } from '../../stored/snapshots/manifest.ts'
import { duckDb } from '../duck-db.ts'
import { lambdaOptions } from '../lambda-options.ts'
import { entity } from '../names.ts'
import { prices } from '../prices.ts'
import { cpuShareOf, functionEnvironment, measure, startServer } from '../processes.ts'
import { atMost, atMostHalf, count, type Figures, figure, median, type Report } from '../report.ts'
import { publisherSecondsFile } from '../servers/ready.ts'
import { baseRun, publishSnapshot, targetRun, writeSnapshots } from '../snapshots.ts'
import { cellsOf, medianFigures } from './sync.ts'

const bytes = 1024
/** With this much memory a function has one processor. */
const memoryMegabytes = 1769
const nodeOptions = lambdaOptions(memoryMegabytes)

interface ChangesFigures extends Figures {
  readonly temporaryMegabytes: number
}

/** Compares two snapshots of which 1% of the documents differ, with one processor. The publisher's check is not included. */
export async function benchChanges({ quick }: { quick: boolean }): Promise<Report> {
  const [few, many] = quick ? [10_000, 50_000] : [1_000_000, 10_000_000]
  const small = await writeSnapshots(few, bytes)
  const { ours, peer } = await besideDuckDb(small, quick ? 1 : 5)
  const large = await compareOnce(await writeSnapshots(many, bytes))
  // The machine's speed may change during the large comparison, so that a small one follows it too.
  const smallCpuSeconds = (ours.cpuSeconds + (await compareOnce(small)).cpuSeconds) / 2
  const growth = large.cpuSeconds / many / (smallCpuSeconds / few)
  return {
    title: `7. Change sets: documents of 1 KB, 1% different, one processor; seconds`,
    columns: ['', 'documents', 'seconds', 'processor s', 'peak MB', 'temporary files MB'],
    rows: [
      row('Longshore', few, ours),
      ...(peer ? [row('DuckDB, full outer join, one thread', few, peer)] : []),
      row('Longshore', many, large),
    ],
    targets: [
      ...(peer ? [atMost(`${count(few)}: time over DuckDB`, ours.seconds / peer.seconds, '1 x')] : []),
      atMost(`${count(few)} documents`, ours.seconds, '30 s'),
      atMost(`${count(many)} documents`, large.seconds, '300 s'),
      atMostHalf(`${count(many)} documents: peak`, large.peakMegabytes, memoryMegabytes),
      atMost(`${count(many)} documents: temporary files`, large.temporaryMegabytes, '2048 MB'),
      atMost(`Processor time per document, ${count(many)} over ${count(few)}`, growth, '1.1 x'),
      atMost('Cost of a million documents', costOfMillion((ours.seconds * 1e6) / few), '0.01 $'),
    ],
    notes: peer ? [] : ['Skipped DuckDB: it needs Python 3.11 or later.'],
  }
}

const row = (name: string, documents: number, figures: Figures & { temporaryMegabytes?: number }) => [
  name,
  count(documents),
  ...cellsOf(figures),
  figures.temporaryMegabytes === undefined ? '' : figure(figures.temporaryMegabytes),
]

/** Medians of runs that alternate, so that a busy machine slows down both. */
async function besideDuckDb(folder: string, repeats: number) {
  const ours: ChangesFigures[] = []
  const peers: Figures[] = []
  for (let repeat = 0; repeat < repeats; repeat++) {
    ours.push(await compareOnce(folder))
    const peer = await duckDbChanges(folder)
    if (peer) peers.push(peer)
  }
  const temporaryMegabytes = median(ours.map((run) => run.temporaryMegabytes))
  return {
    ours: { ...medianFigures(ours), temporaryMegabytes },
    peer: peers.length > 0 ? medianFigures(peers) : undefined,
  }
}

async function compareOnce(folder: string): Promise<ChangesFigures> {
  await using aws = await startServer<Record<string, string>>('files', { folder })
  using deployment = functionEnvironment('http://127.0.0.1', aws.ready)
  using share = cpuShareOf(memoryMegabytes)
  const { variables } = deployment
  await startChain(folder, variables)
  publishSnapshot(folder, targetRun)
  const before = publisherSeconds(folder)
  const figures = await measure<ChangesFigures>('changes', { variables, share, nodeOptions })
  return { ...figures, seconds: figures.seconds - (publisherSeconds(folder) - before) }
}

const publisherSeconds = (folder: string) => Number(readFileSync(join(folder, publisherSecondsFile), 'utf8'))

/** Sets the chain to the state after its first set, which ends at the base. */
async function startChain(folder: string, variables: Readonly<Record<string, string>>): Promise<void> {
  const latest = join(folder, changesLatestKey(entity))
  const afterReset = join(folder, 'changes-after-reset.json')
  rmSync(join(folder, setManifestKey(entity, targetRun)), { force: true })
  if (existsSync(afterReset)) return copyFileSync(afterReset, latest)
  rmSync(join(folder, changesPrefix(entity)), { recursive: true, force: true })
  publishSnapshot(folder, baseRun)
  await measure('changes', { variables })
  copyFileSync(latest, afterReset)
}

function duckDbChanges(folder: string): Promise<Figures | undefined> {
  const sides = [baseRun, targetRun].map((run) => join(folder, runPrefix(entity, run)))
  return duckDb('duckdb_changes.py', [...sides, '1'])
}

/** Pages of 1,000 documents of both snapshots are read once. A part has up to 10,000 records. */
function costOfMillion(seconds: number): number {
  const pages = 2 * 1000
  return (
    seconds * (memoryMegabytes / 1024) * prices.lambdaGigabyteSecond +
    pages * prices.s3Get +
    8 * prices.s3Put +
    2 * prices.stepFunctionsTransition +
    prices.lambdaRequest +
    prices.event
  )
}
