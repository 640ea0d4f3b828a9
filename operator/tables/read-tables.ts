import { createTableStore } from '../../functions/state/tables/tables.aws.ts'
import { awsClients } from '../aws/clients.aws.ts'
import type { Deployment } from '../deployment/deployment.ts'

export const openTables = ({ bucket }: Pick<Deployment, 'bucket'>) =>
  createTableStore(bucket, awsClients.bucket())
