import type { CredentialCheck } from '../credentials/check.ts'
import { unreachableFix } from '../errors.ts'
import { entityFindings, stoppedFindings } from './entity-findings.ts'
import type { CommonFacts, CredentialsFact, Facts, Inspected, LocalFacts, StackFact } from './facts.ts'
import {
  type Finding,
  type FixCommands,
  type LongshoreFixes,
  note,
  ok,
  problem,
  solvable,
} from './finding.ts'
import { incrementFindings } from './increment-findings.ts'
import { networkFindings } from './network-findings.ts'
import { orphanFindings } from './orphan-findings.ts'
import { scheduleFindings, undeployedEntities } from './schedule-findings.ts'
import { schemaFindings, tableFindings } from './table-findings.ts'

export function findingsOf(facts: Facts, fixes: FixCommands): Finding[] {
  const { configured, schedules, entities, now } = facts
  const runs = 'value' in entities ? entities.value : []
  // No sync of them can start. The schedule is a finding of its own.
  const undeployed = 'value' in schedules ? undeployedEntities(configured, schedules.value) : []
  return [
    ...stackFindings(facts, fixes),
    ...driftFindings(facts, fixes),
    ...upstreamFindings(facts),
    ...networkFindings(facts, fixes),
    ...secretFindings(facts, fixes),
    ...findingsFrom('schedules', schedules, (deployed) =>
      scheduleFindings({ configured, deployed, runs, now }, fixes),
    ),
    ...findingsOfEntities(facts, fixes, undeployed),
  ]
}

export function localFindings(facts: LocalFacts, fixes: LongshoreFixes): Finding[] {
  return [
    ok('deployment', `npm start is running at ${facts.apiUrl}.`),
    ...upstreamFindings(facts),
    ...secretFindings(facts, fixes),
    note('schedules', 'npm start runs no schedules. Start syncs by hand.'),
    ...findingsOfEntities(facts, fixes),
  ]
}

const secretFindings = ({ credentials }: CommonFacts, fixes: LongshoreFixes): Finding[] =>
  credentials.flatMap((secret) =>
    findingsFrom('credentials', secret, (fact) => credentialFindings(fact, fixes)),
  )

function findingsOfEntities(
  facts: CommonFacts,
  fixes: LongshoreFixes,
  undeployed: readonly string[] = [],
): Finding[] {
  const { now } = facts
  return [
    ...findingsFrom('entities', facts.entities, (list) =>
      entityFindings(
        list.filter(({ entity }) => !undeployed.includes(entity)),
        { now, fixes },
      ),
    ),
    ...findingsFrom('entities', facts.stopped, (list) => stoppedFindings(list, fixes)),
    ...findingsFrom('entities', facts.increments, (list) => incrementFindings(list, { now, fixes })),
    ...findingsFrom('entities', facts.tables, (list) => tableFindings(list, fixes)),
    ...findingsFrom('schema', facts.schemaChanges, (list) => schemaFindings(list, fixes)),
    ...orphanFindings(facts.orphans, { now, fixes }),
  ]
}

function findingsFrom<T>(
  about: Finding['about'],
  inspected: Inspected<T>,
  read: (value: T) => Finding[],
): Finding[] {
  if ('value' in inspected) return read(inspected.value)
  // The missing stack is a finding of its own.
  if ('notDeployed' in inspected) return []
  const { failure, fix = 'resolve this and run the command again' } = inspected
  return [problem(about, `Cannot check the ${subjects[about]}: ${failure}`, fix)]
}

const subjects: Readonly<Record<Finding['about'], string>> = {
  deployment: 'deployment',
  drift: 'differences from this checkout',
  credentials: 'credentials',
  upstream: 'platform',
  schedules: 'schedules',
  entities: 'entities',
  schema: 'fields of the documents',
}

function stackFindings({ stacks, place }: Facts, fixes: FixCommands): Finding[] {
  return findingsFrom('deployment', stacks, (list) => [
    ...missingFindings(list, { place: 'value' in place ? place.value : 'this region', fixes }),
    ...settledFindings(
      list.filter(({ status }) => status !== undefined),
      fixes,
    ),
  ])
}

function missingFindings(
  stacks: readonly StackFact[],
  { place, fixes }: { place: string; fixes: FixCommands },
): Finding[] {
  const missing = stacks.filter(({ status }) => status === undefined)
  if (missing.length === 0) return []
  const text = `Not deployed in ${place}: ${missing.map(({ name }) => name).join(', ')}.`
  const fix = missing.length === stacks.length ? fixes.firstDeploy : fixes.deploy
  return [problem('deployment', text, fix)]
}

function settledFindings(stacks: readonly StackFact[], { deploy }: FixCommands): Finding[] {
  const unsettled = stacks.filter(({ status = '' }) => !/^(CREATE|UPDATE|IMPORT)_COMPLETE$/.test(status))
  if (stacks.length > 0 && unsettled.length === 0) {
    return [ok('deployment', `Deployed: ${stacks.map(({ name }) => name).join(', ')}.`)]
  }
  return unsettled.map(({ name, status = '' }) =>
    status.endsWith('_IN_PROGRESS')
      ? note('deployment', `A deployment of ${name} is in progress (${status}).`)
      : solvable('deployment', `The last deployment of ${name} failed (${status}).`, deploy),
  )
}

function driftFindings({ drift }: Facts, { deploy }: FixCommands): Finding[] {
  return findingsFrom('drift', drift, (changes) => {
    const stacks = Object.entries(changes)
    if (stacks.length === 0) return [ok('drift', 'The deployment matches this checkout.')]
    const parts = stacks.map(([name, ids]) => `${name} (${shortList(ids)})`).join(', ')
    return [solvable('drift', `The deployment differs from this checkout: ${parts}.`, deploy)]
  })
}

function upstreamFindings({ upstream, baseUrl }: Pick<Facts, 'upstream' | 'baseUrl'>): Finding[] {
  return findingsFrom('upstream', upstream, (result) =>
    'status' in result
      ? [ok('upstream', `The platform at ${baseUrl} is reachable from this machine.`)]
      : [
          problem(
            'upstream',
            `Cannot reach the platform at ${baseUrl} from this machine: ${result.failure}.`,
            unreachableFix,
          ),
        ],
  )
}

const areaCount = 3

function credentialFindings(
  { areas, state, detail, checks }: CredentialsFact,
  { longshore }: LongshoreFixes,
): Finding[] {
  const names = areas.join(', ')
  // A secret that not all areas share is selected by one of its areas.
  const set = longshore(areas.length === areaCount ? 'credentials set' : `credentials set --area ${areas[0]}`)
  if (state === 'not-set') return [solvable('credentials', `Credentials for ${names} are not set.`, set)]
  if (state === 'not-read') {
    const text = `Credentials for ${names} exist. They were not checked, because you have no permission to read them. Operators can work without this permission.`
    return [note('credentials', text)]
  }
  if (state !== 'set') {
    return [solvable('credentials', `Cannot use the credentials for ${names}: ${detail}`, set)]
  }
  const withOutcome = (outcome: CredentialCheck['outcome']) =>
    checks.filter((check) => check.outcome === outcome)
  const accepted = withOutcome('accepted')
  const notChecked = withOutcome('not-checked')
  const notCheckedText = notChecked.length > 0 ? ` Not checked: ${listed(notChecked)}.` : ''
  const findings = withOutcome('inconclusive').map((check) =>
    problem(
      'credentials',
      `Cannot tell whether the credentials are valid: ${listed([check])}.`,
      longshore('doctor'),
    ),
  )
  for (const check of withOutcome('rejected')) {
    const text = `The platform rejects the credentials for ${listed([check])}.`
    // Syncs need the documents area. Credentials without access to docks are normal if docks are not used.
    const isOptional = accepted.length > 0 && check.area !== 'documents'
    findings.push(isOptional ? note('credentials', text) : solvable('credentials', text, set))
  }
  if (accepted.length > 0) {
    const text = `The platform accepts the credentials for ${listed(accepted)}.${notCheckedText}`
    findings.unshift(ok('credentials', text))
  } else if (notChecked.length === checks.length) {
    findings.push(note('credentials', `Credentials are set.${notCheckedText}`))
  }
  return findings
}

function listed(checks: readonly CredentialCheck[]): string {
  return checks.map(({ area, detail }) => `${area} (${detail})`).join(', ')
}

const maxListed = 4

function shortList(ids: readonly string[]): string {
  const rest = ids.length - maxListed
  return rest > 0 ? `${ids.slice(0, maxListed).join(', ')} and ${rest} more` : ids.join(', ')
}
