import { Option } from 'commander'
import { userRoles } from '../../../../domain/service/user.ts'

export const roleOption = (more: string): Option =>
  new Option('--role <role>', `readOnly: queries; readWrite: also changes${more}`).choices(userRoles)
