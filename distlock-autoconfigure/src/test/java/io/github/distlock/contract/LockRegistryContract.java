package io.github.distlock.contract;

/**
 * What every lock store must do under a registry, theme by theme.
 */
interface LockRegistryContract
		extends ExclusionContract, WaitingContract, LeaseContract, LostReplyContract, ClockContract, CleanUpContract,
		RefusalContract, ReadWriteContract, DowngradeContract, HolderContract, GiveUpContract, WaiterLeaseContract {

}
