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
    'Prints a `columns` block that rejects none of the values of the published snapshot. Decimals, and whole numbers ' +
      'that look like amounts, have at least two places. Comments show how many documents have each field, its types, ' +
      'and `hash` for personal data.',
  ],
  examples: { 'columns CL': 'Propose columns for CL' },
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
