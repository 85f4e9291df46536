package io.github.distlock.test.audit.depot;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;

import io.github.distlock.DistributedLock;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockRegistry;
import io.github.distlock.LockRequest;
import io.github.distlock.Unguarded;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Writes one table under its lock, or without it where none is needed.
 */
@Service
class Shelves {

	private final JdbcClient jdbc;

	private final LockRegistry locks;

	Shelves(JdbcClient jdbc, LockRegistry locks) {
		this.jdbc = jdbc;
		this.locks = locks;
	}

	@DistributedLock("'shelf-' + #id")
	@Transactional
	public void locked(int id) {
		write(id, read(id) - 1);
	}

	@DistributedLock(key = "{'shelf-' + #id}", name = "another-label")
	public void lockedElsewhere(int id) {
		write(id, 7);
	}

	void byHand(int id) {
		try (HeldLock lock = this.locks.acquire(LockRequest.of("shelf-" + id))) {
			write(id, 8);
		}
	}

	void byView(int id) {
		Lock lock = this.locks.obtain("shelf-" + id);
		lock.lock();
		try {
			write(id, 9);
		}
		finally {
			lock.unlock();
		}
	}

	@DistributedLock("'shelf-' + #id")
	public void onAnotherThread(int id) {
		List<HeldLock> context = LockContext.all();
		CompletableFuture.runAsync(() -> {
			try (LockContext.Scope scope = LockContext.openAll(context)) {
				write(id, 10);
			}
		}).join();
	}

	/** It has not forgotten its lock. */
	@DistributedLock("'shelf-' + #id")
	@Transactional
	public void whileItsLockIsLost(int id, Runnable loss) {
		int quantity = read(id);
		loss.run();
		write(id, quantity - 1);
	}

	void otherColumn(int id) {
		this.jdbc.sql("UPDATE shelf SET label = ? WHERE id = ?").params("right", id).update();
	}

	void relative(int id) {
		this.jdbc.sql("UPDATE shelf SET quantity = quantity - ? WHERE id = ?").params(1, id).update();
	}

	void checked(int id) {
		this.jdbc.sql("UPDATE shelf SET quantity = ?, version = ? WHERE id = ? AND version = ?")
			.params(7, 1, id, 0)
			.update();
	}

	@Transactional
	public void rowLocked(int id) {
		this.jdbc.sql("SELECT quantity FROM shelf WHERE id = ? FOR UPDATE").param(id).query(Integer.class).single();
		write(id, 11);
	}

	void added(int id) {
		this.jdbc.sql("INSERT INTO shelf (id, quantity) VALUES (?, ?)").params(id, 1).update();
	}

	@Unguarded("runs while the shop is closed")
	void inventory(int id) {
		write(id, 12);
	}

	int read(int id) {
		return this.jdbc.sql("SELECT quantity FROM shelf WHERE id = ?").param(id).query(Integer.class).single();
	}

	void write(int id, int quantity) {
		this.jdbc.sql("UPDATE shelf SET quantity = ? WHERE id = ?").params(quantity, id).update();
	}

}
