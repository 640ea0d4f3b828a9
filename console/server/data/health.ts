import { nameOfProblem, type Problem } from '../../../functions/problems/problem.ts'
import { type ProblemKind, problemRows } from '../../../functions/problems/problem-table.ts'
import { problemOf } from '../../../functions/problems/problems.ts'
import { formatMinute } from '../../../functions/runtime/format.ts'
import type { FiringAlarm } from '../../../operator/aws/alarms.aws.ts'
import type { Inspection } from '../../../operator/doctor/finding.ts'
import { failureOf } from '../../../operator/errors.ts'
import type { FindingRow, HealthResponse } from '../../contract/health.ts'

export interface HealthOptions {
  /** Everything that the doctor finds. It may take some seconds. */
  readonly inspect: () => Promise<Pick<Inspection, 'problems' | 'findings'>>
  /** A command line for this deployment. */
  readonly command: (args: string) => string
  /** Null where alarms do not exist. */
  readonly readAlarms: (() => Promise<readonly FiringAlarm[]>) | null
  readonly now: () => number
  /** When the deployment last changed; undefined where that is not known. */
  readonly readDeployedAt: () => Promise<string | undefined>
}

const maxAgeMs = 5 * 60_000

interface Checked extends Pick<Inspection, 'problems'> {
  readonly findings: readonly FindingRow[]
  readonly checkedAt: number
}

/** Those of the deployment that the overview finds itself, as it finds most of entities. */
const ofOverview: readonly string[] = ['platform-away', 'alert-failed', 'waiting-not-woken']

const isOfDoctor = ({ kind, entity }: Problem) =>
  !ofOverview.includes(kind) && (entity === undefined || !problemRows[kind as ProblemKind].find)

/** Inspects the deployment on request, and every five minutes while it is asked for. Alarms are read each time. */
export function createHealth({ inspect, readAlarms, command, now, readDeployedAt }: HealthOptions) {
  let seen: ReadonlySet<string> | undefined
  const deployed = () => readDeployedAt().catch(() => undefined)
  // Read at once: the first check may be hours after the start.
  let startedWith = deployed()
  let isOutdated = false
  let last: Checked | undefined
  let checking: Promise<Checked> | undefined

  /** Problems of entities are on the overview, next to the entities. */
  const problemFinding = (problem: Problem): FindingRow[] => {
    if (problem.entity !== undefined) return []
    const { kind, level, evidence: text, action, command: args } = problem
    return [
      { level, about: kind.replaceAll('-', ' '), text, fix: args === undefined ? action : command(args) },
    ]
  }

  async function check(): Promise<Checked> {
    const [{ problems, findings }, deployedAt, before] = await Promise.all([
      inspect().catch(failedInspection),
      deployed(),
      startedWith,
    ])
    if (before === undefined) startedWith = Promise.resolve(deployedAt)
    isOutdated = before !== undefined && deployedAt !== undefined && deployedAt !== before
    const changed = isOutdated && deployedAt !== undefined ? [changedDeployment(deployedAt)] : []
    const own = [...changed, ...problems.filter(isOfDoctor)]
    last = { problems: own, findings: [...own.flatMap(problemFinding), ...findings], checkedAt: now() }
    return last
  }

  function start(): Promise<Checked> {
    checking ??= check().finally(() => {
      checking = undefined
    })
    return checking
  }

  /** What is known is returned while an inspection that was not requested is in progress. */
  async function inspected(mode: 'cached' | 'again'): Promise<Checked & Pick<HealthResponse, 'isChecking'>> {
    const isOld = !last || now() - last.checkedAt >= maxAgeMs
    const started = isOld || mode === 'again' ? start() : undefined
    if (mode === 'cached' && last) return { ...last, isChecking: checking !== undefined }
    return { ...(await (started ?? start())), isChecking: false }
  }

  return {
    /** What only the last inspection has found; empty before the first one has ended. */
    known: (): readonly Problem[] => last?.problems ?? [],

    /** Whether the deployment has changed since the console read the configuration. */
    isOutdated: () => isOutdated,

    /** Starts a check if there is a problem that there was not before, since what is known may be about the time before it. */
    notice(problems: readonly Problem[]): void {
      const present = new Set(problems.map(nameOfProblem))
      const known = seen
      seen = present
      if (known && [...present].some((one) => !known.has(one))) void start()
    },

    async read(mode: 'cached' | 'again'): Promise<HealthResponse> {
      const [{ findings, checkedAt: time, isChecking }, alarms] = await Promise.all([
        inspected(mode),
        readAlarms ? readAlarms().catch(failedAlarms) : null,
      ])
      const checkedAt = new Date(time).toISOString()
      const of = { checkedAt, isChecking }
      if (alarms === null || !('failure' in alarms)) return { findings, alarms, ...of }
      return { findings: [...findings, alarms.failure], alarms: null, ...of }
    },
  }
}

/** The console read the configuration when it started. */
const changedDeployment = (deployedAt: string) =>
  problemOf('deployment', {
    level: 'problem',
    since: deployedAt,
    evidence: `The deployment changed at ${formatMinute(deployedAt)}, after this console started. Its entities and schedules may be outdated.`,
    action: 'Stop the console and start it again.',
  })

function failedInspection(error: unknown): Pick<Inspection, 'problems' | 'findings'> {
  const { message, fix = 'resolve this and check again' } = failureOf(error)
  const text = `Cannot inspect the deployment: ${message}`
  return { problems: [], findings: [{ level: 'unknown', about: 'deployment', text, fix }] }
}

function failedAlarms(error: unknown): { readonly failure: FindingRow } {
  const { message } = failureOf(error)
  return { failure: { level: 'unknown', about: 'deployment', text: `Cannot read the alarms: ${message}` } }
}
