import { findDeployment, requireEntity } from '../../operator/deployment/deployment.ts'
import { proposeColumns } from '../../operator/tables/propose-columns.ts'
import { readReport } from '../../operator/tables/read-report.ts'
import { defineCommand } from '../shell/command.ts'
import { columnsProposal } from '../tables/proposal.ts'

export const columnsCommand = defineCommand({
  name: 'columns',
  summary: "Propose the columns of an entity's typed table",
  argument: '<ENTITY>',
  description: [
    'Prints a `columns` block for the configuration, ready to paste, from the schema report of the published snapshot. ' +
      'If there is no report, it reads the snapshot. The proposed columns reject none of its values. Decimals have at least ' +
      'two places, and so have whole numbers in fields that look like amounts: later documents may have cents.',
    'Comments show how many documents have each field and which types its values have. For names, phones, ' +
      'national ids, addresses and emails, a comment offers `hash`. A hash is a pseudonym: anyone can test guesses against it.',
    '--json prints `entity`, `runId`, `documents`, `source` (`report` or `snapshot`), `truncated` and `columns`.',
  ],
  examples: {
    'columns CL': 'Propose columns for CL',
    'columns CL --json': 'Read the fields of CL in a script',
  },
  async run({ entity, target, terminal, signal }) {
    const deployment = await findDeployment(target)
    requireEntity(deployment.configuration, entity)
    const operation = { deployment, target, reporter: terminal, signal }
    const { report, idField, source } = await readReport(operation, entity)
    const columns = proposeColumns(report, idField)
    const { runId, documents, truncated } = report
    return {
      ok: true,
      text: columnsProposal(report, columns),
      form: 'unwrapped',
      data: { entity, runId, documents, source, truncated, columns },
    }
  },
})
