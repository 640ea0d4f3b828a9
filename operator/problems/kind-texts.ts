import type { ProblemKind } from '../../functions/problems/problem-table.ts'

/** What each kind of problem means, and what to do beyond the command that the problem names, for docs/runbook.md. */
export const kindTexts: Readonly<Record<ProblemKind, readonly [means: string, fix: string]>> = {
  deployment: ['The deployment cannot be inspected.', 'Follow the message of `longshore doctor`.'],
  credentials: [
    'The last run of an entity had no valid credentials: the platform rejected them, or they are not set.',
    'Run `longshore credentials set`. New credentials take effect within 10 seconds.',
  ],
  'encryption-key': [
    'A key that encrypts stored data cannot be used.',
    'Enable the key, or restore its policy: [keys](../SECURITY.md#keys).',
  ],
  'not-deployed': ['A configured entity is not deployed.', 'Run `npm run deploy`.'],
  upstream: ['The platform does not respond to `doctor`.', 'See [Platform errors](#platform-errors).'],
  'platform-away': [
    'The platform was away when the last runs ended.',
    'Wait. Sync what no schedule starts. **Sync warnings and errors** has each reason: [Platform errors](#platform-errors).',
  ],
  'unreadable-data': [
    'Somebody has overwritten an object.',
    'Run `longshore verify ENTITY --repair`, then `longshore sync ENTITY --watch`.',
  ],
  'run-refused': [
    'A guard refused a complete snapshot: it is empty, much smaller, or has no ids.',
    'Run `longshore review ENTITY`. If the loss is correct, run `longshore accept RUN_ID`; its change set has a guard of its own. Otherwise fix the platform or `query`, and sync.',
  ],
  'changes-refused': [
    'A change set deletes more than `changes.maxDeletePercent`. The snapshot is published.',
    'Run `longshore review ENTITY`. If the deletes are correct, run `longshore accept RUN_ID`. **Ended comparisons** shows it.',
  ],
  'run-failed': [
    'A run published nothing. The published snapshot stays.',
    '**Ended runs** has its reason, **Sync warnings and errors** and **One run** its log. See [failed runs](#failed-runs), then sync.',
  ],
  'no-snapshot': ['An entity has published nothing yet.', 'Run `longshore sync ENTITY --watch`.'],
  stale: [
    'A snapshot is older than twice the longest interval of its schedule.',
    'See **Stale snapshots** and **Last run of each entity**. If no run started, check [the schedule](#manual-changes) and [Sync not started](#sync-not-started). Then run `longshore status`.',
  ],
  'increments-stale': [
    'The last increment window is older than three intervals, and half an hour.',
    'Follow the reason in **Ended increments** ([all reasons](increments.md#troubleshooting)). If a full sync is needed, run `longshore sync ENTITY --watch`, then `longshore sync ENTITY --increment --watch`. Without a line, check [the schedule](#manual-changes).',
  ],
  'increments-missed': [
    'A full sync found changes that increments missed.',
    'Raise `increments.lookbackMinutes`, deploy and sync.',
  ],
  'changes-failed': [
    'A published snapshot has no change set. Nothing is skipped.',
    'Follow the reason in **Ended comparisons**; without a line, see **Crashes**. Within a week, `longshore verify ENTITY --repair` restores a damaged page. Otherwise run `longshore changes ENTITY --reset`, then `longshore sync ENTITY --watch`.',
  ],
  'changes-erased': [
    'Readers that begin to follow the change sets receive 410.',
    'Run `longshore sync ENTITY --watch`.',
  ],
  'changes-without-snapshot': [
    'There are change sets, and no snapshot.',
    'Run `longshore sync ENTITY --watch`.',
  ],
  'table-failed': [
    'A table could not be built, or could not be updated in Glue.',
    '**Ended tables** has the reason. Run `longshore verify ENTITY --repair` for a damaged page. If it cannot be restored, start a sync, which builds the table again. For Glue, see [tables](#tables).',
  ],
  'erasure-waits': [
    'An entity has published nothing for `eraseWithinDays`, and its snapshot is never erased.',
    'Run `longshore runs ENTITY`, fix its runs and sync it. If nobody needs it, run `longshore purge ENTITY`.',
  ],
  'erasure-incomplete': [
    'The daily task has had no complete pass for two days.',
    '**Ended erasures** and **Crashes** have the reason: a legal hold, a key, or lack of time. Without a line, check [its rule](#manual-changes), then [run it](#erasure).',
  ],
  'schedule-missing': ['A schedule was deleted.', 'Run `longshore repair-schedule ENTITY`.'],
  'schedule-changed': ['A schedule was changed by hand.', 'Run `longshore repair-schedule ENTITY`.'],
  'schedule-not-deployed': ['A schedule differs from the configuration.', 'Run `npm run deploy`.'],
  alerts: [
    'The secret of a receiver cannot be used.',
    'Store its address: [Alert not delivered](#alert-not-delivered).',
  ],
  'alert-failed': [
    'A mail, an alert or an event could not be sent. It is sent again.',
    'See [Alert not delivered](#alert-not-delivered).',
  ],
  'waiting-not-woken': [
    'A function may not wake a run that waits for a slot, or has no route to Step Functions.',
    'Allow `states:SendTaskSuccess` on the state machine to its role: [Manual changes](#manual-changes).',
  ],
  drift: ['Deployed resources differ from the templates.', 'See [Manual changes](#manual-changes).'],
  'increments-failed': [
    'The last increment failed. The next one covers its window.',
    'Wait, or run `longshore sync ENTITY --increment --watch`.',
  ],
  'increments-skipped': ['The last increment was skipped.', 'Follow the reason in **Ended increments**.'],
  'increments-invisible': [
    'A full sync found changes that no increment can see.',
    'Sync as often as readers need them.',
  ],
  'schema-changed': ['The fields of the documents changed.', 'Run `longshore columns ENTITY`.'],
  'documents-without-id': ['Documents have no id.', 'Set `idField` to a field that all of them have.'],
  'partitions-unused': ['A run was scrolled without partitions.', 'Run `longshore probe ENTITY`.'],
  paused: ['An entity is paused.', 'Run `longshore resume ENTITY` when syncs are wanted.'],
  'orphaned-data': [
    'There is data of an entity that is not configured.',
    'Run `longshore purge ENTITY` if nobody needs it.',
  ],
}
