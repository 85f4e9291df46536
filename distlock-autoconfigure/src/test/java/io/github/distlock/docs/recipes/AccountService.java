package io.github.distlock.docs.recipes;

import io.github.distlock.DistributedLock;
import jakarta.persistence.EntityManager;

import org.springframework.dao.OptimisticLockingFailureException;
import org.springframework.resilience.annotation.Retryable;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class AccountService {

	private final EntityManager entities;

	AccountService(EntityManager entities) {
		this.entities = entities;
	}

	@Retryable(includes = OptimisticLockingFailureException.class)
	@DistributedLock(key = "'account-' + #id", waitTime = "2s")
	@Transactional
	public void deposit(String id, long amount) {
		this.entities.find(Account.class, id).balance += amount;
	}

}
