package io.github.distlock.test.audit.depot;

import io.github.distlock.DistributedLock;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;

import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/**
 * Entities that are written when the transaction around the locked method commits.
 */
@Service
class Boxes {

	private final EntityManager entities;

	Boxes(EntityManager entities) {
		this.entities = entities;
	}

	@DistributedLock("'box-' + #id")
	public void fill(int id) {
		this.entities.find(Box.class, id).content++;
	}

	@DistributedLock("'box-' + #id")
	@Transactional
	public void empty(int id) {
		this.entities.find(Box.class, id).content = 0;
	}

	public long count() {
		return this.entities.createQuery("select count(b) from box b", Long.class).getSingleResult();
	}

	/**
	 * The entity.
	 */
	@Entity(name = "box")
	static class Box {

		@Id
		private int id;

		private int content;

	}

}
