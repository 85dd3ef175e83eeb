export const backupOperand = ['<backup>', 'id of the backup'] as const
