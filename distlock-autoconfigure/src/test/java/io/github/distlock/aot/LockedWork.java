package io.github.distlock.aot;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;

import io.github.distlock.DistributedLock;
import io.github.distlock.FencingToken;
import io.github.distlock.HeldLock;
import io.github.distlock.LockContext;
import io.github.distlock.LockMode;
import io.github.distlock.ReactiveLockContext;
import jakarta.validation.constraints.NotBlank;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.core.annotation.AliasFor;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Component;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.validation.annotation.Validated;

/**
 * Methods with a lock in each store, with every kind of key, and whose work ends after
 * they return. They return the keys of their locks.
 */
@Validated
class LockedWork {

	static List<String> keys() {
		return LockContext.all().stream().map(HeldLock::key).sorted().toList();
	}

	@DistributedLock(key = "'redis-' + #id", minHold = "1ms")
	List<String> redis(long id) {
		return keys();
	}

	@DistributedLock(key = "'redlock'", registry = "redlock", leaseTime = "10s")
	List<String> redlock() {
		return keys();
	}

	@DistributedLock(key = "'jdbc'", registry = "jdbc", waitTime = "${jdbc.wait:5s}")
	List<String> jdbc() {
		return keys();
	}

	@DistributedLock(key = "'zookeeper'", registry = "zookeeper", fair = true)
	List<String> zookeeper() {
		return keys();
	}

	@DistributedLock(key = "'local'", registry = "local")
	List<String> local() {
		return keys();
	}

	@DistributedLock(key = "'composite'", registry = "composite")
	List<String> composite() {
		return keys();
	}

	@DistributedLock(key = "'shared'", mode = LockMode.READ)
	List<String> reading() {
		return keys();
	}

	@DistributedLock(key = "'shared'", mode = LockMode.WRITE)
	List<String> writing() {
		return keys();
	}

	@Transactional
	@DistributedLock(key = "'transaction'")
	List<String> transaction() {
		return keys();
	}

	@DistributedLock
	List<String> method() {
		return keys();
	}

	@DistributedLock("'record-' + #order.customer.name")
	List<String> nested(Order order) {
		return keys();
	}

	@DistributedLock("#shelf.row() + '-' + #shelf.column")
	List<String> members(Shelf shelf) {
		return keys();
	}

	@DistributedLock("#identity")
	List<String> identity(UUID identity) {
		return keys();
	}

	@DistributedLock("#order.id")
	List<String> identifier(Order order) {
		return keys();
	}

	@DistributedLock("#colour")
	List<String> constant(Colour colour) {
		return keys();
	}

	@DistributedLock("#orders.![id]")
	List<String> elements(List<Order> orders) {
		return keys();
	}

	@DistributedLock("@tenants.current() + '-' + T(io.github.distlock.aot.LockedWork$Tenants).suffix()")
	List<String> bean() {
		return keys();
	}

	@DistributedLock("#day.month.value + '-' + #orders.size() + @tenants.owner().name.toUpperCase()"
			+ " + new io.github.distlock.aot.LockedWork$OrderId('-id')")
	List<String> members(LocalDate day, List<Order> orders) {
		return keys();
	}

	@DistributedLock("#root.methodName + '-' + #root.targetClass.simpleName + '-' + #a0")
	List<String> root(@NotBlank String value) {
		return keys();
	}

	@DistributedLock(key = "'first-' + #id")
	@DistributedLock(key = "'second-' + #id", condition = "#id > 0")
	List<String> repeated(int id) {
		return keys();
	}

	@PerCustomer("'composed-' + #id")
	List<String> composed(int id) {
		return keys();
	}

	@DistributedLock("'token'")
	boolean token(@FencingToken long token) {
		return token > 0;
	}

	record Order(OrderId id, Customer customer) {
	}

	/** A key of a type of the application, with a text of its own. */
	public record OrderId(String value) {

		@Override
		public String toString() {
			return this.value;
		}

	}

	record Customer(String name) {
	}

	enum Colour {

		RED

	}

	static final class Shelf {

		public final int column = 7;

		private final int row;

		Shelf(int row) {
			this.row = row;
		}

		public int row() {
			return this.row;
		}

	}

	@Target(ElementType.METHOD)
	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock(waitTime = "2s")
	@interface PerCustomer {

		@AliasFor(annotation = DistributedLock.class, attribute = "key")
		String value();

	}

	@DistributedLock("'stage'")
	CompletableFuture<String> stage() {
		return CompletableFuture.completedFuture(String.join(",", keys()));
	}

	@Async
	@DistributedLock("'async'")
	public CompletableFuture<String> async() {
		return CompletableFuture.completedFuture(String.join(",", keys()));
	}

	@DistributedLock("'mono'")
	Mono<String> mono() {
		return Mono.deferContextual((context) -> Mono.just(ReactiveLockContext.all(context).get(0).key()));
	}

	@DistributedLock("'flux'")
	Flux<String> flux() {
		return Flux.deferContextual((context) -> Flux.just(ReactiveLockContext.all(context).get(0).key()));
	}

	static class ClassWorkBase {

		public List<String> inherited() {
			return keys();
		}

	}

	static class InterfaceWork implements InterfaceLocked {

		@Override
		public List<String> work(Order order) {
			return keys();
		}

		@Override
		public List<String> other(String id) {
			return keys();
		}

	}

	@DistributedLock(key = "'of-interface'")
	interface InterfaceLocked {

		@DistributedLock("'interface-' + #order.customer.name")
		List<String> work(Order order);

		List<String> other(String id);

	}

	@Component("tenants")
	static class Tenants {

		public String current() {
			return "tenant";
		}

		public Owner owner() {
			return new Owner("owner");
		}

		public static String suffix() {
			return "suffix";
		}

		record Owner(String name) {
		}

	}

}
