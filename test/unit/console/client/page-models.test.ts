import { describe, expect, it } from 'vitest'
import { commands } from '../../../../cli/commands/index.ts'
import { parse } from '../../../../cli/shell/parser.ts'
import {
  type ActionName,
  actions,
  endText,
  isConfirmed,
  isPossible,
  nothingEntered,
  resolved,
} from '../../../../console/client/model/actions.ts'
import {
  connectionStateOf,
  fixText,
  isShownAbove,
} from '../../../../console/client/model/connection-state.ts'
import { pageOf, pagerOf } from '../../../../console/client/model/paging.ts'
import {
  alarmsText,
  newer,
  shownError,
  sortedFindings,
} from '../../../../console/client/model/shown-findings.ts'
import { showTimesIn } from '../../../../console/client/model/shown-zone.ts'
import {
  documentsText,
  marksText,
  pageStart,
  partsOf,
  plainId,
  positionPath,
  shownSnapshot,
} from '../../../../console/client/model/snapshot.ts'
import { type RequestError, RequestFailed, Unreachable } from '../../../../console/client/request.ts'

describe('a page of a list', () => {
  const items = ['a', 'b', 'c', 'd', 'e']
  it.each([
    [items, 0, { shown: 0, pages: 3, items: ['a', 'b'] }],
    [items, 1, { shown: 1, pages: 3, items: ['c', 'd'] }],
    [items, 2, { shown: 2, pages: 3, items: ['e'] }],
    [items, 3, { shown: 2, pages: 3, items: ['e'] }],
    [['a', 'b'], 1, { shown: 0, pages: 1, items: ['a', 'b'] }],
    [[], 1, { shown: 0, pages: 0, items: [] }],
  ])('%j at %i', (list, page, expected) => expect(pageOf(list, page, 2)).toEqual(expected))

  it.each([
    [0, 0, undefined],
    [0, 1, undefined],
    [0, 2, { text: 'Page 1 of 2', isFirst: true, isLast: false }],
    [1, 3, { text: 'Page 2 of 3', isFirst: false, isLast: false }],
    [1, 2, { text: 'Page 2 of 2', isFirst: false, isLast: true }],
    [5, 2, { text: 'Page 6 of 2', isFirst: false, isLast: true }],
  ])('has a pager at %i of %i', (page, pages, expected) => expect(pagerOf(page, pages)).toEqual(expected))
})

describe('an action', () => {
  it.each<[name: ActionName, classes: string[], label: string, title: string]>([
    ['start', ['primary', 'primary'], 'Start sync', 'Start a sync of CL?'],
    ['cancel', ['', 'danger'], 'Cancel run', 'Cancel the run of CL?'],
    ['accept', ['primary', 'danger'], 'Accept', 'Publish what was refused for CL?'],
    ['pause', ['', 'primary'], 'Pause', 'Pause CL?'],
    ['resume', ['', 'primary'], 'Resume', 'Resume CL?'],
    ['republish', ['', 'danger'], 'Republish', 'Republish this snapshot of CL?'],
    ['verify', ['', 'primary'], 'Verify', 'Verify the published snapshot of CL?'],
    ['repair', ['', 'primary'], 'Repair', 'Verify and repair the published snapshot of CL?'],
    ['purge', ['', 'danger'], 'Delete the data', 'Delete the data of CL for good?'],
  ])('%s has buttons that look %j', (...[name, classes, label, title]) => {
    const action = actions[name]
    expect([action.buttonClass ?? '', action.confirmClass ?? 'primary']).toEqual(classes)
    expect([action.label, action.title('CL')]).toEqual([label, title])
    for (const text of action.explanation) expect(text).toMatch(/^[A-Z].*\.$/)
    expect(action.confirm ?? label).toMatch(
      /^(Start|Cancel|Publish|Republish|Pause|Resume|Verify|Repair|Delete)/,
    )
  })

  it.each(Object.keys(actions) as ActionName[])('%s shows a command that the command line has', (name) => {
    const target = { entity: 'CL', runningRunId: undefined, runId: '20260301T060000000Z-0123456789ab' }
    const parsed = parse(
      commands,
      actions[name]
        .args(target, { until: '06:00', reason: 'migration', name: '', withChanges: true })
        .split(' '),
      {},
    )
    const what = name === 'accept' || name === 'republish' ? target.runId : 'CL'
    expect(parsed).toMatchObject({ kind: 'run', entity: what })
  })

  it.each([
    ['pause CL', { until: ' ', reason: '' }],
    ["pause CL --until 8h --reason 'it'\\''s moved'", { until: '8h', reason: "it's moved" }],
  ])('shows %s for what was typed', (args, typed) => {
    const target = { entity: 'CL', runningRunId: undefined }
    expect(actions.pause.args(target, { ...typed, name: '', withChanges: false })).toBe(args)
  })

  it.each([
    ['06:00', '2026-11-29T06:00:00.000Z', 'It ends Nov 29, 2026, 06:00 UTC (06:00 UTC).'],
    [' 13:30 ', '2026-11-28T13:30:00.000Z', 'It ends Nov 28, 2026, 13:30 UTC (13:30 UTC).'],
    ['8h', '8h', ''],
    ['2026-11-29T06:00+02:00', '2026-11-29T06:00+02:00', ''],
    ['tomorrow', 'tomorrow', ''],
  ])('%j means the time of day that the page shows: %s', (until, sent, text) => {
    showTimesIn('utc')
    const target = { entity: 'CL', now: '2026-11-28T12:00:00.000Z' }
    const entered = { ...nothingEntered, until }
    expect([resolved(entered, target).until, endText(entered, target)]).toEqual([sent, text])
    expect(actions.pause.args(target, resolved(entered, target))).toBe(`pause CL --until ${sent.trim()}`)
    showTimesIn('local')
  })

  it.each<[name: ActionName, isIdle: boolean, isRunning: boolean]>([
    ['start', true, false],
    ['cancel', false, true],
    ['accept', true, false],
    ['pause', true, true],
    ['resume', true, true],
    ['republish', true, false],
    ['verify', true, true],
    ['purge', true, true],
  ])('%s is possible without a run: %j, with one: %j', (...[name, isIdle, isRunning]) => {
    expect([isPossible(name, undefined), isPossible(name, 'r')]).toEqual([isIdle, isRunning])
  })

  it('deletes only if the name of the entity was entered', () => {
    const entered = (name: string) => ({ until: '', reason: '', name, withChanges: false })
    const isPurged = (name: string) => isConfirmed('purge', { entity: 'CL' }, entered(name))
    expect(['CL', 'cl', ''].map(isPurged)).toEqual([true, false, false])
    expect(isConfirmed('pause', { entity: 'CL' }, entered(''))).toBe(true)
  })
})

const gone = new Unreachable('gone')
const expired = new RequestFailed(502, { message: 'The AWS credentials have expired.', fix: 'sign in again' })
const noSession = new RequestFailed(401, { message: 'no session' })
it.each<[kind: string, failures: RequestError[], text: RegExp]>([
  ['connected', [], /^$/],
  ['lost', [expired, gone], /^The console is not responding\./],
  ['ended', [gone, noSession], /^The session has ended\. Start the console/],
  ['failing', [new RequestFailed(500, { message: 'Failed.' })], /^Failed\. This page may be out of date\./],
  [
    'failing',
    [expired],
    /^The AWS .* have expired\. To fix this: sign in again\. This page may be out of date\./,
  ],
])('the connection is %s after %j', (kind, failures, text) =>
  expect(connectionStateOf(failures)).toEqual({ kind, text: expect.stringMatching(text) as string }),
)

it.each([
  [expired, false, false],
  [expired, true, true],
  [gone, false, true],
  [noSession, false, true],
])('%s is shown above the page, with data %j: %j', (error, hasData, isShown) =>
  expect(isShownAbove(error, hasData)).toBe(isShown),
)

it.each([
  [new RequestFailed(409, { message: 'In progress.', fix: 'wait' }), 'To fix this: wait'],
  [new RequestFailed(404, { message: 'Not found.' }), ''],
  [gone, ''],
])('%s is resolved by %j', (error, text) => expect(fixText(error)).toBe(text))

describe('the health of a deployment', () => {
  const finding = (level: 'ok' | 'note' | 'problem', text: string) => ({ level, about: 'drift', text })

  it('shows problems first, then notes, each in the order of the doctor', () => {
    const findings = [
      finding('ok', '1'),
      finding('note', '2'),
      finding('problem', '3'),
      finding('ok', '4'),
      finding('problem', '5'),
      { ...finding('problem', '6'), about: 'entities' },
    ]
    expect(sortedFindings(findings).map(({ text }) => text)).toEqual(['3', '5', '2', '1', '4'])
  })

  const checked = (checkedAt: string) => ({ findings: [], alarms: null, checkedAt, isChecking: false })
  it.each([
    [undefined, undefined, undefined],
    [checked('1'), undefined, '1'],
    [undefined, checked('1'), '1'],
    [checked('2'), checked('1'), '2'],
    [checked('1'), checked('2'), '2'],
  ])('is the later one of %j and %j', (one, other, checkedAt) => {
    expect(newer(one, other)?.checkedAt).toBe(checkedAt)
  })

  it.each([
    [undefined, undefined, undefined, undefined],
    [undefined, 'read', undefined, 'read'],
    [undefined, 'read', checked('1'), undefined],
    ['button', 'read', undefined, 'button'],
    ['button', undefined, checked('1'), 'button'],
  ])('after the failures %j and %j, and the response %j, shows %j', (...[failure, error, response, shown]) =>
    expect(shownError({ failure, error }, response)).toBe(shown),
  )

  it.each([
    [[], 'No alarm is firing.'],
    [null, ''],
    [[{ name: 'a', description: '', since: '' }], ''],
  ])('with the alarms %j has the text %j', (alarms, text) => expect(alarmsText(alarms)).toBe(text))
})

it.each([
  [null, 'r', ' (published)'],
  [null, 'other', ''],
  [null, null, ''],
  ['older', 'r', ' (republished, published)'],
  ['older', 'other', ' (republished)'],
])('the snapshot r that republishes %j is marked if %j is published', (republishedFrom, published, text) => {
  expect(marksText({ runId: 'r', republishedFrom }, published)).toBe(text)
})

it.each([
  [undefined, 'b', 'b'],
  ['a', 'b', 'a'],
  ['gone', 'b', undefined],
  [undefined, null, undefined],
])('of the run %j, or else the published %j, the snapshot %j is shown', (runId, published, shown) => {
  const snapshots = [{ runId: 'b' }, { runId: 'a' }] as never
  expect(shownSnapshot({ published, snapshots }, runId)?.runId).toBe(shown)
})

it.each([
  [{ page: 0, part: 0 }, '1', '0'],
  [{ page: 9, part: 2 }, '10', '100'],
  [pageStart(9), '10', '0'],
])('the position %j is read at page %s from %s', (position, page, from) =>
  expect(positionPath(position)).toEqual({ page, from }),
)

it.each([
  [undefined, 0],
  [{ pageDocuments: 0 }, 0],
  [{ pageDocuments: 50 }, 1],
  [{ pageDocuments: 51 }, 2],
])('the page %j has %i parts', (response, parts) => expect(partsOf(response)).toBe(parts))

it('counts documents from 1', () => {
  const documents = [{}, {}] as never
  expect(documentsText({ from: 50, documents, pageDocuments: 1000 })).toBe(
    'Documents 51 to 52 of 1,000 documents on this page',
  )
})

it.each([
  [{ text: '"a\\"b"', length: 6 }, 'a"b'],
  [{ text: '7', length: 1 }, '7'],
  [{ text: '"cut', length: 900 }, '"cut'],
  [{ text: '7"', length: 2 }, '7"'],
])('the id %j is typed as %s', (value, text) => expect(plainId(value)).toBe(text))
