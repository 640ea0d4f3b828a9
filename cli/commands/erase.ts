import { operatorName } from '../../operator/deployment/caller.aws.ts'
import { findDeployment, longshoreCommand } from '../../operator/deployment/deployment.ts'
import { UsageError } from '../../operator/errors.ts'
import { pathText, readCondition } from '../../operator/history/condition.ts'
import { openErasure } from '../../operator/retention/context.ts'
import { erase, planErasure } from '../../operator/retention/erase.ts'
import { erasureEvidence } from '../../operator/retention/evidence.ts'
import type { Wanted } from '../../operator/retention/person.ts'
import { shellWord } from '../../operator/text/shell-word.ts'
import { erasedResult, evidenceText } from '../erase/erase-text.ts'
import { defineCommand } from '../shell/command.ts'

export const eraseCommand = defineCommand({
  name: 'erase',
  summary: 'Erase a document that the published snapshot no longer has',
  argument: '<ENTITY>',
  options: {
    '--id <ID>': 'The document with this id',
    '--where <FIELD=VALUE>':
      'Each document that ever had this value: email=ann@example.com, address.city=Porto',
    '--any-form': 'With --where, also values that differ only in letter case, white space or Unicode form',
    '--dry-run': 'Only show where it is',
    '-y, --yes': 'Erase without a prompt',
  },
  description: [
    'Shows where the document is in every version of every object, and asks. Then deletes each snapshot, change set, ' +
      'refusal and table file that contains it, with all versions, and searches again. This cannot be undone. The ' +
      'output is the evidence for an audit. If it is interrupted, run it again.',
    'Refuses while the published snapshot contains the document, and while a full sync or a comparison is in ' +
      'progress. What follows for readers, and how --where compares: docs/erasure.md.',
    '--json prints `id` or `where`, `ids`, `otherForms`, `by`, `searchedAt`, `erasedAt`, `published`, `searched`, ' +
      '`found`, `deletedAsWell`, `chain` (`unchanged`, `shortened` or `reset`), and `removed`, which is null if ' +
      'nothing was erased.',
  ],
  examples: {
    'erase CL --id client-17': 'Show where a document is, and ask whether to erase it',
    'erase CL --where email=ann@example.com --dry-run': 'Only show where a person is',
    'erase CL --id client-17 --yes --json': 'Erase it in a script, and print the evidence',
  },
  async run({ entity, values, target, terminal, signal }) {
    const wanted = readWanted(values)
    if (values.dryRun && values.yes) throw new UsageError('--dry-run cannot be combined with --yes.')
    const deployment = await findDeployment(target)
    const { configuration, now } = deployment
    const settings = configuration.entities.find(({ name }) => name === entity)
    const progress = terminal.progress(entity)
    const context = openErasure({ deployment, target, reporter: terminal, signal }, (done, total) =>
      progress.show(done, total),
    )
    const by = await operatorName(deployment)
    const searchedAt = now()
    try {
      const plan = await planErasure(context, { entity, wanted, settings, target })
      progress.end()
      const found = erasureEvidence(plan, { by, searchedAt })
      const where =
        wanted.by === 'id' ? `${pathText([settings?.idField ?? 'id'])}=${wanted.id}` : wanted.condition.text
      const anyForm = `erase ${entity} --where ${shellWord(where)} --any-form --dry-run`
      const include = longshoreCommand(target, anyForm)
      const shown = { columns: terminal.columns, include }
      const text = evidenceText(found, shown)
      const searched = `${entity} ${wantedOptions(wanted)}`
      if (found.found.length === 0) return { ok: true, text, data: found }
      if (values.dryRun) {
        const command = longshoreCommand(target, `erase ${searched}`)
        return { ok: true, text: `${text}\nNothing was erased. To erase it:\n  → ${command}`, data: found }
      }
      const question = `${text}\nDelete all of these versions for good?`
      if (!values.yes && !(terminal.isInteractive && (await terminal.confirm(question)))) {
        const rest = terminal.isInteractive
          ? ['Nothing was erased.']
          : [text, 'Nothing was erased.', `  → ${longshoreCommand(target, `erase ${searched} --yes`)}`]
        return { ok: false, text: rest.join('\n'), data: found }
      }
      const { plan: erased, removed } = await erase(context, plan)
      const evidence = erasureEvidence(erased, { by, searchedAt, erased: { at: now(), removed } })
      return erasedResult(evidence, shown)
    } finally {
      progress.end()
    }
  },
})

function readWanted({
  id,
  where,
  anyForm,
}: {
  readonly id: string | undefined
  readonly where: string | undefined
  readonly anyForm: boolean
}): Wanted {
  if ((id === undefined) === (where === undefined))
    throw new UsageError('erase needs either --id or --where.')
  if (id === undefined)
    return { by: 'where', condition: readCondition(where ?? ''), forms: anyForm ? 'any' : 'exact' }
  if (anyForm) throw new UsageError('--any-form needs --where.')
  return { by: 'id', id }
}

function wantedOptions(wanted: Wanted): string {
  if (wanted.by === 'id') return `--id ${shellWord(wanted.id)}`
  const { condition, forms } = wanted
  return `--where ${shellWord(condition.text)}${forms === 'any' ? ' --any-form' : ''}`
}
