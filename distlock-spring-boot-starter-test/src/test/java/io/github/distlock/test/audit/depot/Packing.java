package io.github.distlock.test.audit.depot;

import java.util.List;
import java.util.concurrent.locks.Lock;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockMode;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Calls locked methods in transactions, and nests locks that cannot wait for each other.
 */
@Service
class Packing {

	private final Boxes boxes;

	private final Shelves shelves;

	private final LockRegistry locks;

	Packing(Boxes boxes, Shelves shelves, LockRegistry locks) {
		this.boxes = boxes;
		this.shelves = shelves;
		this.locks = locks;
	}

	/** The lock is kept until the commit, which writes the entity. */
	@Transactional
	public void pack(int id) {
		this.boxes.fill(id);
	}

	/** What was read before the lock is read again. */
	@Transactional
	public void check(int id) {
		this.shelves.read(id);
		this.shelves.locked(id);
	}

	void inBothOrdersWithoutWaiting() {
		Lock one = this.locks.obtain("one");
		Lock two = this.locks.obtain("two");
		one.lock();
		two.lock();
		two.unlock();
		one.unlock();
		two.lock();
		one.tryLock();
		one.unlock();
		two.unlock();
	}

	void inBothOrdersBelowACommonLock() {
		Lock gate = this.locks.obtain("gate");
		gate.lock();
		nest(LockRequest.of("three"), LockRequest.of("four"));
		nest(LockRequest.of("four"), LockRequest.of("three"));
		gate.unlock();
	}

	void readersInBothOrders() {
		LockRequest five = LockRequest.of("five").mode(LockMode.READ);
		LockRequest six = LockRequest.of("six").mode(LockMode.READ);
		nest(five, six);
		nest(six, five);
	}

	private void nest(LockRequest outer, LockRequest inner) {
		try (HeldLock first = this.locks.acquire(outer); HeldLock second = this.locks.acquire(inner)) {
			first.isHeld();
		}
	}

	/** One call sorts its locks. */
	@DistributedLock("#ids.!['crate-' + #this]")
	public void crates(List<Integer> ids) {
	}

	@DistributedLock("'front-' + #id")
	@DistributedLock("'back-' + #id")
	public void doors(int id) {
	}

	@DistributedLock("#one + '-door'")
	@DistributedLock("#two + '-gate'")
	public void mixed(String one, String two) {
	}

}
