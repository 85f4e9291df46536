package io.github.distlock.contract;

/**
 * The whole contract of a lock store, on one server. The test class of a store extends it
 * and opens the store. Tests of features that the store does not offer are skipped by
 * name, or test the refusal.
 * <p>
 * The tests are default methods of interfaces, one for each theme, so they are reported
 * under the name of the store's own class.
 */
public abstract class LockStoreContract extends CallerContract implements LockBackendContract, LeaseContract,
		LostReplyContract, ClockContract, CleanUpContract, ReadWriteContract, HolderContract, PermitContract,
		WaiterLeaseContract, BackgroundReleaseContract, AsyncReleaseContract {

}
