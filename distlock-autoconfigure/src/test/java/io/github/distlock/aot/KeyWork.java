package io.github.distlock.aot;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.LocalDate;
import java.util.List;
import java.util.UUID;

import io.github.distlock.DistributedLock;
import io.github.distlock.FencingToken;
import jakarta.validation.constraints.NotBlank;

import org.springframework.core.annotation.AliasFor;
import org.springframework.validation.annotation.Validated;

/**
 * Methods with every kind of key. They return the keys of their locks.
 */
@Validated
class KeyWork {

	@DistributedLock
	List<String> method() {
		return StoreWork.keys();
	}

	@DistributedLock("'record-' + #order.customer.name")
	List<String> nested(Order order) {
		return StoreWork.keys();
	}

	@DistributedLock("#shelf.row() + '-' + #shelf.column")
	List<String> members(Shelf shelf) {
		return StoreWork.keys();
	}

	@DistributedLock("#identity")
	List<String> identity(UUID identity) {
		return StoreWork.keys();
	}

	@DistributedLock("#order.id")
	List<String> identifier(Order order) {
		return StoreWork.keys();
	}

	@DistributedLock("#colour")
	List<String> constant(Colour colour) {
		return StoreWork.keys();
	}

	@DistributedLock("#orders.![id]")
	List<String> elements(List<Order> orders) {
		return StoreWork.keys();
	}

	@DistributedLock("@tenants.current() + '-' + T(io.github.distlock.aot.Tenants).suffix()")
	List<String> bean() {
		return StoreWork.keys();
	}

	@DistributedLock("#day.month.value + '-' + #orders.size() + @tenants.owner().name.toUpperCase()"
			+ " + new io.github.distlock.aot.KeyWork$OrderId('-id')")
	List<String> members(LocalDate day, List<Order> orders) {
		return StoreWork.keys();
	}

	@DistributedLock("#root.methodName + '-' + #root.targetClass.simpleName + '-' + #a0")
	List<String> root(@NotBlank String value) {
		return StoreWork.keys();
	}

	@DistributedLock(key = "'first-' + #id")
	@DistributedLock(key = "'second-' + #id", condition = "#id > 0")
	List<String> repeated(int id) {
		return StoreWork.keys();
	}

	@PerCustomer("'composed-' + #id")
	List<String> composed(int id) {
		return StoreWork.keys();
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

	/** A class with a method and a field. */
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

}
