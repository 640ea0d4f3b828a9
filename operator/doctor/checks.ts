import { listed } from '../../functions/problems/data-problems.ts'
import type { FoundProblem } from '../../functions/problems/problem.ts'
import { inOrder } from '../../functions/problems/problems.ts'
import type { ReadFacts } from '../../functions/problems/read-facts.ts'
import { openProblems } from '../../functions/problems/staying.ts'
import type { CredentialCheck } from '../access/check.ts'
import { failureOf, unreachableFix } from '../errors.ts'
import { credentialsProblem, unsetCredentials } from '../problems/unset-credentials.ts'
import { codeChecks } from './code.ts'
import { alertChecks, networkChecks, scheduleChecks } from './configured-checks.ts'
import { encryptionChecks } from './encryption-checks.ts'
import { entityChecks, incrementChecks, reportChecks } from './entity-checks.ts'
import type { CommonFacts, CredentialsFact, DoctorFacts, Inspected, LocalFacts, StackFact } from './facts.ts'
import type { Checked, Finding, FixCommands, Inspection } from './finding.ts'
import { note, ok, problem, unknown } from './finding.ts'

export function inspectionOf(facts: DoctorFacts, fixes: FixCommands): Inspection {
  return inspection(facts, [
    ...stackChecks(facts, fixes),
    ...driftChecks(facts, fixes),
    ...checksOf('code', facts.code, codeChecks),
    ...upstreamChecks(facts),
    ...networkChecks(facts, fixes),
    ...secretChecks(facts),
    ...receiverChecks(facts),
    ...checksOf('schedules', facts.schedules, () =>
      checksOf('schedules', facts.look, (look) => scheduleChecks(look.entities, openProblems(look))),
    ),
    ...checksOf('encryption', facts.encryption, (objects) => encryptionChecks(objects, facts.keys, fixes)),
  ])
}

export function localInspection(facts: LocalFacts): Inspection {
  return inspection(facts, [
    ok('deployment', `npm start is running at ${facts.apiUrl}.`),
    ...upstreamChecks(facts),
    ...secretChecks(facts),
    ...receiverChecks(facts),
    note('schedules', 'npm start runs the schedules of its configuration as long as it is open.'),
  ])
}

/** The problems that `status` shows too, those that only the doctor looks for, and what is all right. */
function inspection(
  { look, increments, reports, now }: CommonFacts,
  ofDeployment: readonly Checked[],
): Inspection {
  const known = 'value' in look ? openProblems(look.value) : []
  const checked = [
    ...ofDeployment,
    ...checksOf('entities', look, (facts) => [
      ...facts.unread.map((one) => unreadFinding(one)),
      ...entityChecks(facts.entities, known),
    ]),
    ...checksOf('entities', increments, incrementChecks),
    ...checksOf('entities', reports, reportChecks),
  ]
  return inspectionFrom(checked, now, known)
}

/** What checks found, with the problems that are already known. */
export function inspectionFrom(
  checked: readonly Checked[],
  now: number,
  known: readonly FoundProblem[] = [],
): Inspection {
  const own = checked.flatMap((one) => (one.kind === 'problem' ? [one.problem] : []))
  return {
    problems: inOrder([...known, ...own]),
    findings: checked.flatMap((one) => (one.kind === 'finding' ? [one.finding] : [])),
    now,
  }
}

function unreadFinding({ entity, failure }: ReadFacts['unread'][number]): Checked {
  const { message, fix = again } = failureOf(failure)
  const subject = entity === undefined ? 'for data of entities that are not configured' : `at ${entity}`
  return unknown('entities', `Cannot look ${subject}: ${message}`, fix)
}

const secretChecks = ({ credentials }: CommonFacts): Checked[] =>
  credentials.flatMap((secret) => checksOf('credentials', secret, credentialChecks))

const receiverChecks = ({ alerts }: CommonFacts): Checked[] =>
  alerts.flatMap((alert) => checksOf('alerts', alert, alertChecks))

const again = 'resolve this and run the command again'

export function checksOf<T>(
  about: Finding['about'],
  inspected: Inspected<T>,
  read: (value: T) => Checked[],
): Checked[] {
  if ('value' in inspected) return read(inspected.value)
  // The missing stack is a finding of its own.
  if ('notDeployed' in inspected) return []
  const { failure, fix = again } = inspected
  return [unknown(about, `Cannot check the ${subjects[about]}: ${failure}`, fix)]
}

const subjects: Readonly<Record<Finding['about'], string>> = {
  deployment: 'deployment',
  drift: 'differences from this checkout',
  code: 'code of the functions',
  credentials: 'credentials',
  alerts: 'receivers of alerts',
  upstream: 'platform',
  schedules: 'schedules',
  encryption: 'encryption of stored objects',
  entities: 'entities',
  api: 'API',
  tables: 'typed table',
  runs: 'sync',
}

function stackChecks({ stacks, place }: DoctorFacts, fixes: FixCommands): Checked[] {
  return checksOf('deployment', stacks, (list) => [
    ...missingChecks(list, { place: 'value' in place ? place.value : 'this region', fixes }),
    ...settledChecks(
      list.filter(({ status }) => status !== undefined),
      fixes,
    ),
  ])
}

function missingChecks(
  stacks: readonly StackFact[],
  { place, fixes }: { place: string; fixes: FixCommands },
): Checked[] {
  const missing = stacks.filter(({ status }) => status === undefined)
  if (missing.length === 0) return []
  const text = `Not deployed in ${place}: ${missing.map(({ name }) => name).join(', ')}.`
  const action = missing.length === stacks.length ? capitalized(fixes.firstDeploy) : `Deploy: ${fixes.deploy}`
  return [problem('deployment', { evidence: text, action })]
}

function settledChecks(stacks: readonly StackFact[], { deploy }: FixCommands): Checked[] {
  const unsettled = stacks.filter(({ status = '' }) => !/^(CREATE|UPDATE|IMPORT)_COMPLETE$/.test(status))
  if (stacks.length > 0 && unsettled.length === 0) {
    return [ok('deployment', `Deployed: ${stacks.map(({ name }) => name).join(', ')}.`)]
  }
  return unsettled.map(({ name, status = '' }) =>
    status.endsWith('_IN_PROGRESS')
      ? note('deployment', `A deployment of ${name} is in progress (${status}).`)
      : problem('deployment', {
          evidence: `The last deployment of ${name} failed (${status}).`,
          action: `Deploy again: ${deploy}`,
        }),
  )
}

function driftChecks({ drift }: DoctorFacts, { deploy }: FixCommands): Checked[] {
  return checksOf('drift', drift, (changes) => {
    const stacks = Object.entries(changes)
    if (stacks.length === 0) return [ok('drift', 'The deployment matches this checkout.')]
    const parts = stacks.map(([name, ids]) => `${name} (${listed(ids)})`).join(', ')
    const evidence = `The deployment differs from this checkout: ${parts}.`
    const action = `Deploy this checkout (${deploy}), or check out the version that is deployed.`
    return [problem('drift', { evidence, action })]
  })
}

function upstreamChecks({ upstream, baseUrl }: Pick<DoctorFacts, 'upstream' | 'baseUrl'>): Checked[] {
  return checksOf('upstream', upstream, (result) => {
    if ('failure' in result) {
      const evidence = `Cannot reach the platform at ${baseUrl} from this machine: ${result.failure}.`
      return [problem('upstream', { evidence, action: `${capitalized(unreachableFix)}.` })]
    }
    if (result.status < 500)
      return [ok('upstream', `The platform at ${baseUrl} is reachable from this machine.`)]
    const evidence = `The platform at ${baseUrl} responds with ${result.status}.`
    return [
      problem('upstream', { evidence, action: 'Nothing needs to be done here: wait until it is back.' }),
    ]
  })
}

const capitalized = (fix: string) => `${fix.charAt(0).toUpperCase()}${fix.slice(1)}`

function credentialChecks(fact: CredentialsFact): Checked[] {
  const { state, detail, checks } = fact
  const names = fact.areas.join(', ')
  const invalid = (evidence: string): Checked => ({
    kind: 'problem',
    problem: credentialsProblem(fact, evidence),
  })
  if (state === 'not-set') return [{ kind: 'problem', problem: unsetCredentials(fact) }]
  if (state === 'not-read') {
    const text = `Credentials for ${names} exist. They were not checked, because you have no permission to read them. Operators can work without this permission.`
    return [note('credentials', text)]
  }
  if (state !== 'set') return [invalid(`Cannot use the credentials for ${names}: ${detail}`)]
  const withOutcome = (outcome: CredentialCheck['outcome']) =>
    checks.filter((check) => check.outcome === outcome)
  const accepted = withOutcome('accepted')
  const notChecked = withOutcome('not-checked')
  const notCheckedText = notChecked.length > 0 ? ` Not checked: ${areasOf(notChecked)}.` : ''
  const found = withOutcome('inconclusive').map((check) =>
    unknown(
      'credentials',
      `Cannot tell whether the credentials are valid: ${areasOf([check])}.`,
      'wait until the platform responds as usual, and run the command again',
    ),
  )
  for (const check of withOutcome('rejected')) {
    const text = `The platform rejects the credentials for ${areasOf([check])}.`
    // Syncs need the documents area. Credentials without access to docks are normal if docks are not used.
    const isOptional = accepted.length > 0 && check.area !== 'documents'
    found.push(isOptional ? note('credentials', text) : invalid(text))
  }
  if (accepted.length > 0) {
    const text = `The platform accepts the credentials for ${areasOf(accepted)}.${notCheckedText}`
    found.unshift(ok('credentials', text))
  } else if (notChecked.length === checks.length) {
    found.push(note('credentials', `Credentials are set.${notCheckedText}`))
  }
  return found
}

function areasOf(checks: readonly CredentialCheck[]): string {
  return checks.map(({ area, detail }) => `${area} (${detail})`).join(', ')
}
