import * as v from 'valibot'
import {
  deployedTextMatching,
  oneOf,
  strictObject,
} from '../../functions/runtime/settings-schema/schema-parts.ts'
import { distinctList } from './distinct-list.ts'

/** An EC2 id: the prefix, then 8 or 17 hexadecimal digits. */
const id = (what: string, prefix: string) =>
  deployedTextMatching(
    `the id of ${what}, such as '${prefix}-0123456789abcdef0'`,
    new RegExp(`^${prefix}-(?:[0-9a-f]{8}|[0-9a-f]{17})$`),
  )

export const networkSchema = strictObject({
  /** Which functions are in the subnets: those that call the platform, or every function. */
  functions: v.optional(oneOf('upstream', 'all'), 'upstream'),
  vpcId: id('a VPC', 'vpc'),
  /** Private subnets with a route to the internet. Two in different zones survive the failure of one. */
  subnetIds: distinctList(id('a subnet', 'subnet'), {
    expected: 'a list of subnet ids',
    ifEmpty: 'add a private subnet, or better two in different availability zones',
    max: { items: 16, reason: 'a function can use at most' },
  }),
  /** Without any, each function gets its own security group. */
  securityGroupIds: v.optional(
    distinctList(id('a security group', 'sg'), {
      expected: 'a list of security group ids',
      ifEmpty: "add a security group, or omit 'securityGroupIds' to have one created",
      max: { items: 5, reason: 'a function has at most' },
    }),
  ),
})
