export type { ByteReader, ByteWriter, Command, CommandContext, RunOptions, TerminalMode, TerminalSize } from './commands/command.ts'
export { BrokenPipe } from './commands/command.ts'
export type { CommandSource, CommandTable } from './commands/registry.ts'
export type { ConfigProblem } from './config/config-error.ts'
export { ConfigError } from './config/config-error.ts'
export type { ConfiguredWorkspace, WorkspaceFactories } from './config/configured-workspace.ts'
export { workspaceOptions } from './config/configured-workspace.ts'
export type {
  BucketConfig,
  FileSystemConfig,
  MountConfig,
  ProfileConfig,
  RedisConfig,
  S3StoreConfig,
  StateStoreConfig,
  StoreConfig,
  WorkspaceConfig,
} from './config/workspace-config.ts'
export type { LoadConfigOptions } from './config.ts'
export { loadWorkspaceConfig } from './config.ts'
export type { ErrorCode, PosixCode } from './errors.ts'
export { codeOf, errorText, FileSystemError, hasCode, WorkspaceError } from './errors.ts'
export { DurableObjectFileSystem } from './fs/durable-object-file-system.ts'
export type {
  CreateOptions,
  Dirent,
  FileAttributes,
  FileStat,
  FileSystem,
  FileSystemCapabilities,
  FileSystemSpace,
  FileType,
} from './fs/file-system.ts'
export { LinkMet } from './fs/file-system.ts'
export type { RAMFileSystemOptions, RAMSnapshot } from './fs/memory.ts'
export { RAMFileSystem } from './fs/memory.ts'
export type { MountMode } from './fs/mount-table.ts'
export type { OverlayChange, OverlayOptions } from './fs/overlay.ts'
export { OverlayFileSystem } from './fs/overlay.ts'
export type { R2FileSystemOptions } from './fs/r2-file-system.ts'
export { R2FileSystem } from './fs/r2-file-system.ts'
export type { R2Bucket, R2Object, R2ObjectBody } from './fs/r2-objects.ts'
export type { RedisFileSystemOptions } from './fs/redis-file-system.ts'
export { RedisFileSystem } from './fs/redis-file-system.ts'
export type { S3FileSystemOptions } from './fs/s3-file-system.ts'
export { S3FileSystem } from './fs/s3-file-system.ts'
export type { Host, MaybePromise } from './host.ts'
export { isPromise, webHost } from './host.ts'
export type { Applied, ApplyOptions } from './job/apply-job.ts'
export type { SnapshotOptions } from './job/archive.ts'
export type { BundleChange, BundleFiles, RunBundle } from './job/bundle.ts'
export type {
  CheckpointCreated,
  CheckpointDeleted,
  CheckpointKind,
  CheckpointList,
  CheckpointManifest,
  CheckpointShown,
  CheckpointsSwept,
} from './job/checkpoint-documents.ts'
export type { JobCheckpoints } from './job/checkpoints.ts'
export type { CheckpointOptions } from './job/create-checkpoint.ts'
export type { Dropped } from './job/drop-job.ts'
export type { Attempt, CommandEnd, Enforcement, Executor, Running, SavedExecution } from './job/executor.ts'
export type { ForkOptions } from './job/fork-job.ts'
export type { WorkspaceForkOptions } from './job/fork-workspace.ts'
export type { Inspection, InspectOptions } from './job/inspect-job.ts'
export type { Job, Suspended } from './job/job.ts'
export type { ChangedType, FailureKind, RunRecord, RunState, StagedChange, StageState } from './job/job-documents.ts'
export type { StageAt } from './job/job-files.ts'
export type { JobOptions } from './job/job-options.ts'
export type { JobOutput } from './job/job-output.ts'
export type { JobStatus } from './job/job-status.ts'
export type { KeepExecutionOptions } from './job/keep-execution.ts'
export type { KillAnswer } from './job/kill-job.ts'
export type { ResumeOptions } from './job/resume-job.ts'
export type { Review } from './job/review-job.ts'
export type { Selection } from './job/selection.ts'
export type { DiffLimits } from './job/stage-diff.ts'
export type { WorkspaceCheckpoint, WorkspaceCheckpointOptions, WorkspaceCheckpoints } from './job/workspace-checkpoints.ts'
export type { Profile } from './profile.ts'
export { readTrajectory } from './read-trajectory.ts'
export type { RedisOptions } from './redis/redis-options.ts'
export type { AtifResult, AtifStep, AtifToolCall, AtifTrajectory } from './replay/atif.ts'
export type {
  EarlyFailure,
  ObservationClass,
  ObservationCounts,
  ReplayReport,
  ReplayResult,
  ReportCall,
  ReportStep,
} from './replay/documents.ts'
export type { EndpointOptions } from './replay/endpoint.ts'
export { endpointModel } from './replay/endpoint.ts'
export type { FailureCategory, ReplayFault } from './replay/fault.ts'
export type { ChatMessage, Model, ModelRequest, ModelTurn } from './replay/model.ts'
export type { ReadTrajectoryOptions, TrajectoryFacts } from './replay/read-trajectory.ts'
export type { Replayed, ReplayMode, ReplayProgress, ReplayRequest } from './replay/request.ts'
export type { ToolDefinition } from './replay/toolset.ts'
export type { S3Credentials, S3Options, S3Presign, S3PresignRequest } from './s3/s3-options.ts'
export type { S3PresignerOptions } from './s3/s3-presigner.ts'
export { s3Presigner } from './s3/s3-presigner.ts'
export type { DenoKVStateStoreOptions } from './state/deno-kv-state-store.ts'
export { DenoKVWorkspaceStateStore } from './state/deno-kv-state-store.ts'
export type { DiskStateStoreOptions } from './state/disk-state-store.ts'
export { DiskWorkspaceStateStore } from './state/disk-state-store.ts'
export { DurableObjectWorkspaceStateStore } from './state/durable-object-state-store.ts'
export { RAMWorkspaceStateStore } from './state/ram-state-store.ts'
export type { RedisStateStoreOptions } from './state/redis-state-store.ts'
export { RedisWorkspaceStateStore } from './state/redis-state-store.ts'
export type { S3StateStoreOptions } from './state/s3-state-store.ts'
export { S3WorkspaceStateStore } from './state/s3-state-store.ts'
export type { HistoryEntry, SessionRules } from './state/session-fields.ts'
export type { StateChange, StateStoreOverrides, WorkspaceStateStore } from './state/state-store.ts'
export type { StoredStateOptions } from './state/stored-state-store.ts'
export type { DenoKV, DenoKVAtomic, DenoKVEntry, DenoKVKey } from './store/deno-kv.ts'
export type { DurableObjectStorage, SqlValue } from './store/durable-object-storage.ts'
export type { EncryptionKey, StoreEncryption, WebCryptoKey } from './store/encryption.ts'
export type {
  FolderFileSystemOptions,
  FolderHandle,
  FolderMode,
  FolderPermission,
  FolderPickOptions,
  IndexedDBFileSystemOptions,
  OPFSFileSystemOptions,
} from './without-browser.ts'
export { FolderFileSystem, IndexedDBFileSystem, OPFSFileSystem } from './without-browser.ts'
export { HostFileSystem, hostExecutor, loadWorkspaceConfigFile } from './without-files.ts'
export type {
  LineTerminal,
  MountSpec,
  PromptOptions,
  Session,
  SessionOptions,
  SessionPrompts,
  ShellOptions,
  ShellResult,
  WorkspaceJobs,
  WorkspaceLimits,
  WorkspaceOptions,
} from './workspace.ts'
export { Workspace } from './workspace.ts'
export type { LoadOptions } from './workspace-archive.ts'
