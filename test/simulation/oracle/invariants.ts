/** The invariants of every run in every seed. A planted bug shows that each of them can fail. */
export const invariants = {
  'snapshot-complete':
    'a published snapshot contains each document of its scroll exactly once, byte for byte',
  'proof-true': 'the counts and the proof of a manifest are true',
  'pages-whole': 'every page of a manifest exists with its size and hash, and is kept',
  'latest-forward': 'latest.json only moves to a newer snapshot',
  'table-follows': 'the table lists the pages of the snapshot in latest.json, and never moves back',
  'guards-hold': 'a snapshot that a guard refuses is not published',
  'write-once': 'a committed page, a page object and a manifest are never written again',
  'one-run-writes': 'a run commits no pages when another run has had the lease for minutes',
  'slots-held': 'a run sends requests to the platform only while it has a slot',
  'slots-limited': 'no run takes a slot beyond the limits that its worker was deployed with',
  'end-is-true': 'the final status of a run is true and never changes',
  'ends-in-time': 'every run ends within hours, and within minutes if it cannot succeed',
  'leaves-nothing':
    'a publication without faults leaves no object, slot or lease that it should have removed',
  'nothing-carried-over':
    'a new attempt begins without the retry budget, crashes and suspicion of the previous one, and crashes add up only ' +
    'at one page',
  'plan-kept':
    'a run that has committed a page keeps its configuration, whatever is deployed in the meantime',
  'late-writers-spared': 'the clean-up deletes no object of a run whose worker may still write',
  'items-last': 'items of pages and of ended runs expire after 30 days, not before',
  'ranges-cover':
    'without faults, the ranges that a run plans contain the whole entity, so it publishes them',
  'coverage-true':
    'ranges are published only if they have as many documents as the platform reported, and do not overlap',
  'throttling-survived': 'a platform that only throttles, and calls that succeed when repeated, fail no run',
  recovers: 'after the faults have stopped, the next run of the entity publishes',
  'worker-crashed': 'worker, publisher and comparison reject only because of an injected fault',
  'damage-true': 'a run fails because something of it is damaged only if that is so',
  'roles-kept': 'no function asks S3 for what its role does not allow',
  'changes-true':
    'the records of a change set lead from the state before it to the snapshot, byte for byte, with proven deletes',
  'deletes-true':
    'a change set deletes no document that the platform had during the whole run, unless the platform lied',
  'deletes-guarded': 'a change set deletes no more than the guard allows or a person accepted',
  'chain-forward':
    'the chain of change sets only moves forward, to a snapshot that is kept, and loses no set that has not expired',
  'sets-whole': 'every object of a listed change set exists with its size and hash',
  'typed-table-whole':
    'every Iceberg snapshot that latest.json leads to can be read, and the current one has the rows of its run',
  'typed-table-forward': 'the latest.json of a typed table never moves to an older run',
  'typed-table-ids': 'a field id of a typed table never means another column',
  'typed-table-kept':
    'no file of a typed table is deleted that its Iceberg snapshots need, or that a commit of the last day dropped',
  'typed-table-cleaned':
    'a day after the last commit nothing is left of failed attempts and of dropped Iceberg snapshots',
  'typed-table-recovers':
    'after the faults have stopped, the next publication makes the typed table whole, in Glue too, and announces it',
  'increments-true':
    'after each set readers have a state that the contract of increments allows, and a window moves only when everything in it has arrived',
  'increments-new': 'no increment delivers what readers have from an increment',
  'increments-recover':
    'after the faults have stopped, increments and full syncs that are due at the same time both publish, and readers have the documents of the platform',
  'review-true':
    'a person who reviews what a guard has refused sees what it would delete, and accepting it deletes nothing else',
  'pulled-true': 'a pulled file that is brought to the tip has what readers have who begin there',
  'history-true': 'what a document was at a time is what readers had of it at the run that is named',
  'erased-in-time': 'with eraseWithinDays, no object has content that was published last so many days ago',
  purged: 'a purge leaves nothing of its entity, and takes nothing of others',
  'readers-follow': 'a reader that applies the sets since any state of the chain has the state of the tip',
} as const
export type Invariant = keyof typeof invariants

export interface Violation {
  readonly invariant: Invariant
  readonly detail: string
}

/** Reports a violation. */
export type Report = (invariant: Invariant, detail: string) => void
