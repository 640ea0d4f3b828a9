import { maxGapSeconds } from '../../lib/monitoring/schedule-gap.ts'
import type { FoundSchedule } from '../aws/schedules.aws.ts'
import { ago, documents, span } from '../shell/format.ts'
import type { CredentialCheck } from './credential-check.ts'
import type { Asked, CredentialsFact, Facts } from './facts.ts'

/** One line of the doctor's report. A problem comes with the command or deed that mends it. */
export interface Finding {
  readonly level: 'ok' | 'note' | 'problem'
  readonly about: 'deployment' | 'app' | 'credentials' | 'upstream' | 'schedules' | 'entities'
  readonly text: string
  readonly fix?: string
}

/** How commands are typed for the deployment that is looked at. */
export interface Fixes {
  readonly deploy: string
  readonly our: (words: string) => string
}

export function findingsOf(facts: Facts, mends: Fixes): Finding[] {
  return [
    ...ofStacks(facts, mends),
    ...ofChanges(facts, mends),
    ...ofUpstream(facts),
    ...(facts.credentials ?? []).flatMap((asked) =>
      told('credentials', asked, (fact) => ofCredentials(fact, mends)),
    ),
    ...(facts.schedules
      ? told('schedules', facts.schedules, (known) => ofSchedules(known, facts, mends))
      : []),
    ...(facts.entities ? ofEntities(facts, mends) : []),
  ]
}

type About = Finding['about']

const ok = (about: About, text: string): Finding => ({ level: 'ok', about, text })
const note = (about: About, text: string): Finding => ({ level: 'note', about, text })
const problem = (about: About, text: string, fix: string): Finding => ({
  level: 'problem',
  about,
  text,
  fix,
})

function told<T>(about: About, asked: Asked<T>, tell: (known: T) => Finding[]): Finding[] {
  if ('known' in asked) return tell(asked.known)
  return [problem(about, `It could not be looked at: ${asked.failed}`, 'fix that, and run this again')]
}

function ofStacks({ stacks }: Facts, { deploy }: Fixes): Finding[] {
  const missing = stacks.filter(({ status }) => status === undefined).map(({ name }) => name)
  if (missing.length > 0) return [problem('deployment', `Not deployed: ${missing.join(', ')}.`, deploy)]
  const broken = stacks.filter(({ status = '' }) => !/^(CREATE|UPDATE|IMPORT)_COMPLETE$/.test(status))
  if (broken.length === 0)
    return [ok('deployment', `${stacks.map(({ name }) => name).join(', ')} are deployed.`)]
  return broken.map(({ name, status = '' }) =>
    status.endsWith('_IN_PROGRESS')
      ? note('deployment', `${name} is being changed just now (${status}).`)
      : problem('deployment', `The last deployment of ${name} failed (${status}).`, deploy),
  )
}

function ofChanges({ changes }: Facts, { deploy }: Fixes): Finding[] {
  if (!changes) return []
  return told('app', changes, (known) => {
    const stacks = Object.entries(known)
    if (stacks.length === 0) return [ok('app', 'What is deployed is what this checkout would deploy.')]
    const parts = stacks.map(([name, ids]) => `${name} (${shortened(ids)})`).join(', ')
    return [problem('app', `This checkout would deploy something else: ${parts}.`, deploy)]
  })
}

function ofUpstream({ upstream, baseUrl }: Facts): Finding[] {
  return told('upstream', upstream, (known) =>
    'status' in known
      ? [ok('upstream', `The platform at ${baseUrl} can be reached from here.`)]
      : [
          problem(
            'upstream',
            `The platform at ${baseUrl} cannot be reached from here: ${known.failure}.`,
            'look at upstream.baseUrl in the configuration, and at the network',
          ),
        ],
  )
}

function ofCredentials({ areas, state, detail, trials }: CredentialsFact, { our }: Fixes): Finding[] {
  const names = areas.join(', ')
  // A secret of its own must be named by one of its areas; the shared one needs no name.
  const set = our(areas.length === 3 ? 'credentials set' : `credentials set --area ${areas[0]}`)
  if (state === 'not-set') return [problem('credentials', `No keys are set for ${names}.`, set)]
  if (state !== 'set') return [problem('credentials', `The keys for ${names} cannot be used. ${detail}`, set)]
  const of = (outcome: CredentialCheck['outcome']) => trials.filter((trial) => trial.outcome === outcome)
  const each = (some: readonly CredentialCheck[]) =>
    some.map((trial) => `${trial.area} (${trial.detail})`).join(', ')
  const [accepted, untried] = [of('accepted'), of('untried')]
  const notTried = untried.length > 0 ? ` Not tried for ${each(untried)}.` : ''
  const findings = of('unclear').map((trial) =>
    problem('credentials', `Nobody can tell whether the keys are right for ${each([trial])}.`, our('doctor')),
  )
  for (const trial of of('rejected')) {
    const text = `The platform rejects the keys for ${each([trial])}.`
    // Syncs need the documents. Who uses docks not at all has keys that may not read them.
    const isBearable = accepted.length > 0 && trial.area !== 'documents'
    findings.push(isBearable ? note('credentials', text) : problem('credentials', text, set))
  }
  if (accepted.length > 0) {
    findings.unshift(ok('credentials', `The platform accepts the keys for ${each(accepted)}.${notTried}`))
  } else if (untried.length === trials.length) {
    findings.push(note('credentials', `Keys are set.${notTried}`))
  }
  return findings
}

/** A start may be late, or wait for its turn; one that never came is another matter. */
const maxIntervals = 2

/** A schedule that does not come round again promises nothing. */
function patienceMs(schedule: string, now: number): number {
  const gapSeconds = maxGapSeconds(schedule, now)
  return gapSeconds === undefined ? Infinity : maxIntervals * gapSeconds * 1000
}

function ofSchedules(
  found: readonly FoundSchedule[],
  { entities, now }: Facts,
  { deploy, our }: Fixes,
): Finding[] {
  if (!entities || !('known' in entities)) return []
  const scheduled = entities.known.filter(({ enabled }) => enabled)
  const findings = scheduled.flatMap(({ entity, schedule, timezone, runs }): Finding[] => {
    const there = found.find((one) => one.entity === entity)
    if (!there) return [problem('schedules', `${entity} has no schedule in the account.`, deploy)]
    if (!there.enabled) {
      return [
        problem('schedules', `The schedule of ${entity} is switched off.`, `switch it on, or run ${deploy}`),
      ]
    }
    if (there.expression !== schedule || there.timezone !== timezone) {
      const text = `The schedule of ${entity} is ${there.expression} ${there.timezone}; the configuration says ${schedule} ${timezone}.`
      return [problem('schedules', text, deploy)]
    }
    const since = [there.changedAt, ...runs.map(({ startedAt }) => startedAt)].toSorted().at(-1) ?? ''
    if (now - Date.parse(since) <= patienceMs(schedule, now)) return []
    const text = `The schedule of ${entity} is ${schedule}, and no run has started since ${ago(since, now)}.`
    return [
      problem(
        'schedules',
        text,
        `look into the queue of missed starts, then ${our(`sync ${entity} --watch`)}`,
      ),
    ]
  })
  if (findings.length > 0) return findings
  if (scheduled.length === 0) return [note('schedules', 'No entity has a schedule.')]
  return [ok('schedules', `${scheduled.map(({ entity }) => entity).join(', ')}: scheduled as configured.`)]
}

function ofEntities({ entities, now }: Facts, { our }: Fixes): Finding[] {
  if (!entities) return []
  return told('entities', entities, (known) => {
    if (known.length === 0) return [note('entities', 'No entity is configured, so nothing is copied.')]
    return known.map(({ entity, enabled, schedule, snapshot, running, runs }): Finding => {
      const sync = our(`sync ${entity} --watch`)
      const last = runs.find(({ status }) => status !== 'skipped')
      const unpublished = last && ['failed', 'refused'].includes(last.status) ? last : undefined
      const underWay = running ? ` A run is under way (${running.status}).` : ''
      if (!snapshot) {
        const why = unpublished ? ` The last run ${ended(unpublished)}` : ''
        const text = `Nothing of ${entity} has been published.${why}${underWay}`
        return running || !enabled ? note('entities', text) : problem('entities', text, sync)
      }
      const state = `${entity}: ${documents(snapshot.documents)}, published ${ago(snapshot.publishedAt, now)}.`
      if (unpublished && !running) {
        const shrunk = unpublished.status === 'refused' && snapshot.documents > unpublished.documents
        const fix = shrunk ? our(`sync ${entity} --watch --accept-shrink`) : sync
        const right = shrunk ? 'if that is right, ' : ''
        return problem('entities', `${state} The last run ${ended(unpublished)}`, `${right}${fix}`)
      }
      const limitMs = patienceMs(schedule, now)
      if (enabled && !running && now - Date.parse(snapshot.publishedAt) > limitMs) {
        return problem('entities', `${state} That is too old for ${schedule} (limit ${span(limitMs)}).`, sync)
      }
      return ok('entities', `${state}${underWay}`)
    })
  })
}

function ended({ status, reason }: { status: string; reason: string | null }): string {
  return `was ${status}${reason ? `: ${reason}` : '.'}`
}

function shortened(ids: readonly string[]): string {
  const most = 4
  return ids.length <= most
    ? ids.join(', ')
    : `${ids.slice(0, most).join(', ')} and ${ids.length - most} more`
}
