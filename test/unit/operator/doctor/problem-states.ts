import {
  check,
  checks,
  ended,
  entities,
  facts,
  hoursAgo,
  latest,
  missing,
  run,
  scheduled,
  secret,
  stacks,
} from './healthy-facts.ts'

const refusedChain = {
  kind: 'refused',
  runId: 's',
  tip: 'r',
  since: hoursAgo(1),
  deleted: 42,
  baseDocuments: 95,
}

/** A state, and the text and the fix of its only problem. */
export const problemStates: readonly [name: string, state: object, text: string, fix: string][] = [
  [
    'stacks that do not exist',
    facts({
      stacks: { value: missing },
      drift: { notDeployed: true },
      credentials: [{ notDeployed: true }],
      schedules: { notDeployed: true },
      entities: { notDeployed: true },
    }),
    'Not deployed in account 111122223333, region eu-west-1: LongshoreStorage, LongshoreSync,',
    'is this the right account and region? If not, set AWS_PROFILE and AWS_REGION. If it is, deploy: npm run deploy',
  ],
  [
    'a missing stack',
    facts({ stacks: { value: [...stacks.slice(0, 3), ...missing.slice(3)] } }),
    'Not deployed in account 111122223333, region eu-west-1: LongshoreMonitoring.',
    'npm run deploy',
  ],
  [
    'a rolled back deployment',
    facts({ stacks: { value: [{ name: 'LongshoreSync', status: 'UPDATE_ROLLBACK_COMPLETE' }] } }),
    'LongshoreSync failed',
    'npm run deploy',
  ],
  [
    'a deployment that differs from the checkout',
    facts({ drift: { value: { LongshoreSync: ['Worker', 'A', 'B', 'C', 'D'] } } }),
    'LongshoreSync (Worker, A, B, C and 1 more)',
    'npm run deploy',
  ],
  [
    'an unreachable platform',
    facts({ upstream: { value: { failure: 'the platform is unreachable (ECONNREFUSED)' } } }),
    'ECONNREFUSED',
    'upstream.baseUrl',
  ],
  [
    'credentials that are not set',
    facts({ credentials: [{ value: { ...secret, state: 'not-set', checks: [] } }] }),
    'not set',
    'npx --no-install longshore credentials set',
  ],
  [
    'one area whose credentials are not set',
    facts({
      credentials: [{ value: { ...secret, areas: ['documents'], state: 'not-set', checks: [] } }],
    }),
    'Credentials for documents are not set',
    'npx --no-install longshore credentials set --area documents',
  ],
  [
    'an unreadable secret',
    facts({
      credentials: [{ value: { ...secret, state: 'unreadable', detail: 'Access denied.', checks: [] } }],
    }),
    'Access denied.',
    'npx --no-install longshore credentials set',
  ],
  [
    'rejected credentials',
    checks(check('logistics', 'rejected')),
    'rejects the credentials',
    'npx --no-install longshore credentials set',
  ],
  [
    'credentials that are rejected for documents',
    checks(check('logistics', 'accepted'), check('documents', 'rejected')),
    'rejects the credentials for documents',
    'npx --no-install longshore credentials set',
  ],
  [
    'an inconclusive check',
    checks(check('documents', 'inconclusive')),
    'Cannot tell',
    'npx --no-install longshore doctor',
  ],
  [
    'a schedule that was deleted',
    facts({ schedules: { value: [{ ...scheduled(), existing: undefined }] } }),
    'CL has no schedule in the account',
    'npx --no-install longshore repair-schedule CL',
  ],
  [
    'a schedule that was changed in the account, and is not what is configured either',
    facts({
      schedules: {
        value: [
          scheduled({
            expression: 'rate(2 hours)',
            enabled: false,
            differences: ['its role is a', 'so is b'],
          }),
        ],
      },
    }),
    'The schedule of CL was changed in the account: its role is a; so is b.',
    'npx --no-install longshore repair-schedule CL',
  ],
  [
    'a schedule that is not deployed',
    facts({ schedules: { value: [scheduled({ entity: 'AD' })] } }),
    'The schedule of CL is configured, but not deployed',
    'npm run deploy',
  ],
  [
    'a paused schedule',
    facts({ schedules: { value: [scheduled({ enabled: false })] } }),
    'The schedule of CL is paused.',
    'npx --no-install longshore resume CL',
  ],
  [
    'a schedule that differs from the configuration',
    facts({ schedules: { value: [scheduled({ expression: 'rate(1 day)' })] } }),
    'is rate(1 day) UTC; the configuration has rate(6 hours) UTC',
    'npm run deploy',
  ],
  [
    'a schedule that starts no runs',
    entities({ runs: [{ ...run, startedAt: hoursAgo(13) }] }),
    'no run has started for 13 h',
    'npx --no-install longshore sync CL --watch',
  ],
  [
    'an entity that the platform does not have',
    entities({ snapshot: null, runs: [{ ...run, status: 'failed', documents: 0, faults: { 404: 1 } }] }),
    'No snapshot of CL has been published',
    "check the name and 'query' of CL in the configuration and deploy, then run npx --no-install longshore sync CL --watch",
  ],
  [
    'an entity whose query the platform refuses since it was changed',
    entities({ runs: [{ ...run, status: 'failed', documents: 0, faults: { 400: 2, timeout: 1 } }] }),
    'The last run failed',
    "check the name and 'query' of CL in the configuration and deploy, then run npx --no-install longshore sync CL --watch",
  ],
  [
    'an entity whose credentials were rejected, and are accepted by now',
    entities({ runs: [{ ...run, status: 'failed', documents: 0, faults: { 401: 1, 403: 1 } }] }),
    'The last run failed',
    'npx --no-install longshore sync CL --watch',
  ],
  [
    'a run that was throttled for too long',
    entities({ runs: [{ ...run, status: 'failed', documents: 0, faults: { 429: 9, 408: 1, 503: 1 } }] }),
    'The last run failed',
    'npx --no-install longshore sync CL --watch',
  ],
  [
    'a run whose cursor was lost',
    entities({ runs: [{ ...run, status: 'failed', documents: 10, faults: { 400: 1 } }] }),
    'The last run failed',
    'npx --no-install longshore sync CL --watch',
  ],
  [
    'an entity without documents that was never published',
    entities({ snapshot: null, runs: [{ ...run, status: 'refused', documents: 0 }] }),
    'No snapshot of CL has been published. The last run was refused',
    "check the name and 'query' of CL in the configuration (if it has no documents and this is correct, set 'allowEmpty') and deploy, then run npx --no-install longshore sync CL --watch",
  ],
  [
    'an entity without a snapshot',
    entities({ snapshot: null }),
    'No snapshot of CL has been published',
    'npx --no-install longshore sync CL --watch',
  ],
  [
    'a stale snapshot',
    entities({ snapshot: { ...latest, publishedAt: hoursAgo(13) } }),
    'too old for rate(6 hours) (limit 12 h)',
    'npx --no-install longshore sync CL --watch',
  ],
  [
    'a failed run',
    entities(ended('The platform is unreachable.')),
    'The last run failed: The platform is unreachable.',
    'npx --no-install longshore sync CL --watch',
  ],
  [
    'a run refused because the snapshot shrank',
    entities(ended('60% fewer.', 'refused', 40)),
    'refused: 60% fewer.',
    'npx --no-install longshore review r',
  ],
  [
    'a run refused because the entity is empty',
    entities(ended('CL has no documents.', 'refused', 0)),
    'refused: CL has no documents.',
    'npx --no-install longshore review r',
  ],
  [
    'a change set that was refused',
    facts({ stopped: { value: [{ entity: 'CL', chain: refusedChain }] } }),
    'CL: The change set of run s was refused: it deletes 42 of 95 documents. The change sets stop at run r.',
    'npx --no-install longshore review s',
  ],
  [
    'a table that does not match the published snapshot',
    facts({
      tables: {
        value: [
          { entity: 'CL', table: { kind: 'behind', runId: 's', tableRun: null, since: '', reason: null } },
        ],
      },
    }),
    'CL: Run s is published without its table. There is no table.',
    'npx --no-install longshore sync CL --watch',
  ],
  [
    'a table whose update in Glue Lake Formation refuses',
    facts({
      tables: {
        value: [
          {
            entity: 'CL',
            table: { kind: 'unlisted', runId: 's', since: '', reason: 'AccessDeniedException' },
          },
        ],
      },
    }),
    'CL: Glue could not be updated for the table of run s (AccessDeniedException).',
    'the role of the function that builds the tables, then run npx --no-install longshore sync CL --watch',
  ],
  [
    'a table whose update in Glue failed once',
    facts({
      tables: {
        value: [{ entity: 'CL', table: { kind: 'unlisted', runId: 's', since: '', reason: 'TimeoutError' } }],
      },
    }),
    'CL: Glue could not be updated for the table of run s (TimeoutError).',
    'npx --no-install longshore sync CL --watch',
  ],
  [
    'an inspection that failed',
    facts({ schedules: { failure: 'AWS denied access' } }),
    'AWS denied access',
    'run the command again',
  ],
  [
    'an inspection that failed for a known reason',
    facts({ drift: { failure: 'Cannot synthesize the CDK app', fix: 'npm run synth' } }),
    'Cannot check the differences from this checkout: Cannot synthesize the CDK app',
    'npm run synth',
  ],
]
