import { describe, expect, it } from 'vitest'
import { readCompareTask } from '../../functions/compare/request.ts'
import { readTableTask } from '../../functions/tables/request.ts'
import { input, run } from './run-state-machine.ts'

describe('the state machine after a publication', () => {
  const published = { status: 'published', entity: 'CL', runId: 'run-1' }
  const afterIt = (handlers: Omit<Parameters<typeof run>[0], 'Step'>) =>
    run({ Step: async () => published, ...handlers })
  const request = { entity: 'CL', runId: 'run-1', acceptDeletes: true }
  const crash = async () => {
    throw new Error('out of memory')
  }

  it('compares the snapshot, with the input of the execution and the run', async () => {
    const calls: unknown[] = []
    const outcome = await afterIt({
      Compare: async (payload) => {
        calls.push(payload)
        return { status: 'refused', reason: 'too many deletes' }
      },
    })
    expect(calls).toEqual([{ task: 'compare', input, run: published }])
    expect(outcome).toEqual({ status: 'SUCCEEDED', output: JSON.stringify({ ...published, table: {} }) })
    expect(readCompareTask(calls[0])).toEqual({ task: 'compare', request })
  })

  it('succeeds when the comparison crashes, and records that', async () => {
    const recorded: unknown[] = []
    let comparisons = 0
    const outcome = await afterIt({
      Compare: async () => {
        comparisons += 1
        throw new Error('out of memory')
      },
      RecordFailedComparison: async (payload) => void recorded.push(payload),
    })
    expect(outcome.status).toBe('SUCCEEDED')
    expect(comparisons).toBe(3)
    expect(recorded).toHaveLength(1)
    expect(readCompareTask(recorded[0])).toEqual({
      task: 'record-failure',
      request,
      reason: 'The comparison stopped (Error): out of memory.',
    })
  })

  it('succeeds even when the failed comparison cannot be recorded', async () => {
    const outcome = await afterIt({ Compare: crash, RecordFailedComparison: crash })
    expect(outcome.status).toBe('SUCCEEDED')
  })

  const plan = { status: 'planned', entity: 'CL', runId: 'run-1', plan: 'p1', chunks: [0, 1, 2] }
  const tablePlan = { entity: 'CL', runId: 'run-1', plan: 'p1' }

  it('makes the table: a plan, its chunks at the same time, and a commit of what they returned', async () => {
    const calls: unknown[] = []
    const outcome = await afterIt({
      PlanTable: async (payload) => {
        calls.push(payload)
        return plan
      },
      WriteChunks: async (payload) => {
        const { chunk } = payload as { chunk: number }
        if (chunk === 0) await new Promise((done) => setTimeout(done, 5))
        calls.push(payload)
        return { status: 'written', name: `file-${chunk}` }
      },
      CommitTable: async (payload) => {
        calls.push(payload)
        return { status: 'published' }
      },
    })
    expect(outcome.status).toBe('SUCCEEDED')
    const written = [0, 1, 2].map((chunk) => ({ status: 'written', name: `file-${chunk}` }))
    expect(calls.map((call) => readTableTask(call))).toEqual([
      { task: 'plan-table', entity: 'CL' },
      ...[1, 2, 0].map((chunk) => ({ task: 'write-chunk', entity: 'CL', plan: tablePlan, chunk })),
      { task: 'commit-table', entity: 'CL', plan: tablePlan, written },
    ])
  })

  it('leaves half of the executions of a new account to others while it writes chunks', async () => {
    let writing = 0
    let most = 0
    await afterIt({
      PlanTable: async () => ({ ...plan, chunks: Array.from({ length: 20 }, (_, chunk) => chunk) }),
      WriteChunks: async () => {
        most = Math.max(most, ++writing)
        await new Promise((done) => setImmediate(done))
        writing--
        return { status: 'written', name: 'file' }
      },
      CommitTable: async () => ({ status: 'published' }),
    })
    expect(most).toBe(5)
  })

  it('plans the table again while its commit is outdated', async () => {
    let plans = 0
    const outcome = await afterIt({
      PlanTable: async () => {
        plans += 1
        return { ...plan, chunks: [] }
      },
      CommitTable: async () => ({ status: plans < 3 ? 'outdated' : 'published' }),
    })
    expect([outcome.status, plans]).toEqual(['SUCCEEDED', 3])
  })

  it.each(['PlanTable', 'WriteChunks', 'CommitTable'] as const)(
    'succeeds when the table crashes in %s every time, and records that',
    async (state) => {
      const recorded: unknown[] = []
      const outcome = await afterIt({
        PlanTable: async () => plan,
        [state]: crash,
        RecordFailedTable: async (payload) => void recorded.push(payload),
      })
      expect(outcome.status).toBe('SUCCEEDED')
      const reason = 'The table stopped (Error): out of memory.'
      expect(recorded.map((payload) => readTableTask(payload))).toEqual([
        { task: 'record-table-failure', entity: 'CL', runId: 'run-1', reason },
      ])
    },
  )

  it('succeeds even when the failure of the table cannot be recorded', async () => {
    const outcome = await afterIt({ PlanTable: crash, RecordFailedTable: crash })
    expect(outcome.status).toBe('SUCCEEDED')
  })

  it.each(['skipped', 'refused', 'failed', 'cancelled'])(
    'makes no comparison for a %s run',
    async (status) => {
      let comparisons = 0
      const count = async () => void comparisons++
      await run({ Step: async () => ({ status, reason: 'r' }), Compare: count })
      expect(comparisons).toBe(0)
    },
  )
})
