package com.example.shop;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;

/**
 * Calls itself.
 */
public class StockService {

	/**
	 * Call a locked method of this object.
	 * @return the key of the lock in that method
	 */
	public String callsItself() {
		return deduct("7");
	}

	/**
	 * Call a static method.
	 * @return the key of the lock in that method
	 */
	public String callsStatic() {
		return count();
	}

	@DistributedLock("'stock-' + #sku")
	private String deduct(String sku) {
		return key();
	}

	@DistributedLock("'count'")
	private static String count() {
		return key();
	}

	private static String key() {
		return LockContext.current().map(HeldLock::key).orElse("no lock");
	}

}
