package io.github.distlock.contract;

/**
 * The requirements on a lock store under a registry, by theme.
 */
interface LockRegistryContract extends ExclusionContract, WaitingContract, LeaseContract, LostReplyContract,
		ClockContract, CleanUpContract, RefusalContract, ReadWriteContract, HolderContract, GiveUpContract,
		WaiterLeaseContract, BackgroundReleaseContract {

}
