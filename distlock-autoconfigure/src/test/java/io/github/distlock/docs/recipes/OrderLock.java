package io.github.distlock.docs.recipes;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.github.distlock.DistributedLock;

/**
 * The lock of an order, in each service that works on orders.
 */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@DistributedLock(key = "'order-' + #orderId", name = "order", waitTime = "5s")
public @interface OrderLock {

}
